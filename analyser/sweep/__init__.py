"""Sweeps: a plan of very many fights, worked out in parts by whatever machines there are, into a store of Parquet."""
