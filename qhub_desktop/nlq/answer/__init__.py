"""Results to answers: sentences, suggestions, and the plan in parts that can be changed."""
