"""What the pointer sees of OMDCPDP, where whole orders are put into routes."""
