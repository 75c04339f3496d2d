"""Die and deck, unit profiles with their keywords, and armies."""
