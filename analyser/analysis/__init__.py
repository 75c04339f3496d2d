"""Tables of many fights, and answers to questions about them, as tidy data frames, texts and pictures."""
