"""Simulated battles of armies, round by round (`docs/battle.md`). Alias tables draw scores, and decks draw cards."""
