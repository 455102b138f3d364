"""Models that a server runs: embedders, rerankers, readers and critics asked over HTTP.

The modules here use the API of a server (its *dialect*); to the rest of the program their classes
look like models on this machine. May be imported: the files at the top of ``anamnesis`` and those
at the top of ``anamnesis.models``, and the folder ``anamnesis.language``.
"""
