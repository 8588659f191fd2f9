"""Where does knowledge come from, and where do hand-overs go?"""
