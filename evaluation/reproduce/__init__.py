"""The published systems' own experiments, run here and put beside what the papers report.

A paper is a file NAME.toml: its tables, the data and the models it names, and how this measurement
differs. ``paper`` reads it, ``needs`` finds data and models, a file for each system runs its
experiments, and ``page`` sets the figures side by side.
"""
