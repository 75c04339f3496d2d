"""Batch reports: a folder of tables, pictures and a page."""
