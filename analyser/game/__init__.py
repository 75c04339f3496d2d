"""What lies on the table: dice, cards, units with their keywords and profiles, the constants of the rules."""
