"""What the paper's network, our own and the learned peers share."""
