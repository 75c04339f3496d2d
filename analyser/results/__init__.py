"""The answers of fights: what each can be asked for, what it rests on, and how it is shown."""
