"""Do instructions that lie in documents, tickets and questions change what people are told?"""
