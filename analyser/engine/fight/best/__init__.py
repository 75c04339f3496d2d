"""Best play in fights: the graph of all choices, backward induction, and plans."""
