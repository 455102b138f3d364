"""The command ``anamnesis evaluate``: its options, and one file a protocol.

What belongs here reads data, runs a protocol of ``evaluation`` on it and writes the result file.
May be imported: everything below ``app``, and ``app.cli``, whose options it shares.
"""
