"""Results of fights: their figures, the rules behind them, and their display."""
