"""Sweeps: very many fights (cells), computed in parts on one or more machines into a store of Parquet files."""
