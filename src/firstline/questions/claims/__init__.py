"""When does a span carry a claim? Vocabulary of verify and critique; it calls no step."""
