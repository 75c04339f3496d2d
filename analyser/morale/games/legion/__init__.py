"""Star Wars: Legion: suppression, panic and leaving the table."""
