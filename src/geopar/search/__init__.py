"""Search: from the simplest dispatcher to compiled ruin and recreate."""
