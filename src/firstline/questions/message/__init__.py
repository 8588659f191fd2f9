"""What does a message say? Its words, kind, names, language, and what it leans on. Vocabulary; it calls no step."""
