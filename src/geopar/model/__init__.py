"""The GeoPAR policy (paper, section 4): projection windows, parallel pointers, assignment."""
