"""What does the person need who takes over? Vocabulary of the hand-over; it calls no step."""
