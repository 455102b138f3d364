"""The published systems' own experiments, run here and compared with the papers' figures.

A paper is a file NAME.toml: its tables, its data and models, and how this measurement differs.
``paper`` reads it, ``needs`` finds data and models, one file per system runs its experiments, and
``page`` compares the figures. Modules here may import only: everything below ``evaluation``, and
the files at the top of ``evaluation``.
"""
