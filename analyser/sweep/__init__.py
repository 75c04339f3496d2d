"""Sweeps: a plan of very many fights, computed in parts on one or more machines into a store of Parquet files."""
