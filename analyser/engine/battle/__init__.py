"""Whole armies against each other, round by round (`docs/battle.md`): scores from tables, cards from real decks."""
