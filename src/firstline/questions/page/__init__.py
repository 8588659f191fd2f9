"""Which part of a page answers? Vocabulary of retrieve, prefer and compose; it calls no step."""
