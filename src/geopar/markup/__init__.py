"""Small maps and tables as text: for pages, paper and notebooks, without any library."""
