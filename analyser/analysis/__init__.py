"""Tables of many fights and answers to questions about them, each with a tidy frame, a text and pictures."""
