"""Grande Tactique: fleeing, pursuit, rout and collapse."""
