"""Retrievers: methods that find passages, the fusion of their results, the index [R1–R3, H3].

A *method* (sparse, dense, facts) is a way to search; a *list* is its result, best first. Codes such
as [R1] name rows of ``docs/systems.md``.

    build      makes an index folder, or updates it; ``bulk`` does so with several workers
    opening    opens the index at a folder or an address
    corpus     what every engine offers: ``index`` (a folder), ``postgres``, ``milvus``, ``given``
    search     searches by one method, or by several whose lists are fused
    fusion     the decisions on lists, as pure functions
    facts      the same for facts
    langchain  the lists as LangChain retrievers
    fetched    the index and the passages that one run has fetched
    review     records that wait for an operator's approval

The other modules are parts of these. What belongs here finds passages and facts; no answer is
written or judged. Modules here may import only: the files at the top of ``anamnesis``, and the
folders ``anamnesis.language``, ``anamnesis.corpus`` and ``anamnesis.models``.
"""
