"""The steps of the graph: one a file, plain functions of state and runtime."""
