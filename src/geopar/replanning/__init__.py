"""Planning again: plans mended, beginnings kept, and the rest of a day that is under way."""
