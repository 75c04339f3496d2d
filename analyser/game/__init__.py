"""What lies on the table: the die and the deck, units with their keywords and profiles."""
