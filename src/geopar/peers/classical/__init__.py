"""Classical heuristics that the paper compares with, as it ran them: SISR, GA and SA."""
