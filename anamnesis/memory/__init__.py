"""Memories of users: past exchanges, notes and a health profile, stored with consent.

They are in ``store`` (the records in ``database``, their vectors in ``index``), encrypted if a key
is set, and deleted on request. Also here: questions for experts (``questions``) and cached replies
of models (``replies``). Codes such as [H1] name rows of ``docs/systems.md``.

Modules here may import only: the files at the top of ``anamnesis``, and the folders
``anamnesis.language``, ``anamnesis.corpus``, ``anamnesis.models`` and ``prompts``.
"""
