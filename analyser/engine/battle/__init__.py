"""Simulated battles of armies, round by round (`docs/battle.md`): scores from alias tables, cards from real decks."""
