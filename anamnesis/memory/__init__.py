"""What the user lets the program remember.

May be imported: the files at the top of ``anamnesis``, and the folders ``anamnesis.language``,
``anamnesis.corpus``, ``anamnesis.models`` and ``prompts``.
"""
