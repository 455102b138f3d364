"""Builds the project's own cross-encoder from all-MiniLM-L6-v2: see ``training/__main__.py``."""
