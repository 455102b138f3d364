"""Ways to use the graph: the command line, and what it prints."""
