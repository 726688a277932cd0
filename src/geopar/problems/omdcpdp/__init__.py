"""OMDCPDP: the instance, its generator and its environment."""
