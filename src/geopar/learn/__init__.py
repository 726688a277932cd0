"""Training: imitation of search, then the paper's reinforcement learning."""
