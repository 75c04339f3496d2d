"""The games: a folder each, with its rules, its question, its chains and its tables."""
