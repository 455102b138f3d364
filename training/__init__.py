"""Trains the project's own models: one module for each kind, run as ``python -m training.NAME``.

``python -m training`` builds the cross-encoder from all-MiniLM-L6-v2: see ``__main__.py``.
"""
