"""HCVRP: the instance, its generator, its bound and its environment."""
