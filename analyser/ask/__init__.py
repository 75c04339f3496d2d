"""Questions asked many times over: curves and maps, searches among variants, and how lucky an outcome was."""
