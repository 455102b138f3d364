"""What the user lets the program remember.

May be imported: the files at the top of ``anamnesis``, its ``language``, ``corpus`` and ``models``,
and the other files of this folder.
"""
