"""The games: a folder for each, with its question, rules, chains and tables."""
