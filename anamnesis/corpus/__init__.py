"""Records, the loaders that read them from data sets, and the passages they are split into.

Modules here may import only: the files at the top of ``anamnesis``, and the folder
``anamnesis.language``.
"""

from anamnesis.corpus.passage import Passage, split, split_all
from anamnesis.corpus.record import Kind, Record

__all__ = ["Kind", "Passage", "Record", "split", "split_all"]
