"""What the pointer sees of HCVRP, and what its steps do there."""
