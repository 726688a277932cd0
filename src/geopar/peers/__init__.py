"""The other systems of the paper's tables, on the same problems, environments and commands."""
