"""Die and deck, units with their profiles and keywords, armies."""
