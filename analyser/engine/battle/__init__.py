"""Whole armies against each other, round by round (`docs/battle.md`): every die rolled, every card from a real deck."""
