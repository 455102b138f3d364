"""The command ``anamnesis models``: the project's models for other machines, over HTTP.

What belongs here serves an embedder, a reader and a critic in the dialects that
``anamnesis.models.remote`` speaks, and says what another server offers. May be imported:
``anamnesis``, and of ``app`` nothing.
"""
