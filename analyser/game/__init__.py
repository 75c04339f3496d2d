"""The die and the deck, profiles of units with their keywords, and armies."""
