"""The command ``anamnesis evaluate``: its options, and one file per protocol.

The modules here read data, run a protocol of ``evaluation`` on it and write the result file.
Modules here may import only: everything below ``app``, and the files at the top of ``app``.
"""
