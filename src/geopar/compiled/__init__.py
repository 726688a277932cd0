"""What all compiled code shares: how it is compiled, and where its chance comes from."""
