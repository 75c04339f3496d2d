"""Many fights side by side, and one looked into: each answer has a tidy frame, a text and pictures."""
