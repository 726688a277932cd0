"""The paper's experiments, one module each; each has an ``EXPERIMENT``."""
