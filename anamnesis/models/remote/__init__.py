"""Models that a server runs: embedders, rerankers, readers and critics asked over HTTP.

What belongs here speaks to a server in its own words (its *dialect*) and looks to the rest of the
program like a model on this machine. May be imported: what ``anamnesis.models`` may import, and its
modules that name no server.
"""
