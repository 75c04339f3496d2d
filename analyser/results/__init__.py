"""The answer about one attack, and its text."""
