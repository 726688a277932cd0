"""Slow and plain twins of compiled code, in tensor operations: what kernels are compared with."""
