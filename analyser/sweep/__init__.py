"""Sweeps: very many fights (cells), computed in parts on one or more machines, and stored as Parquet files."""
