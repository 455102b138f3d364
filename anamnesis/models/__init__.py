"""Models by reference: loaded once per process, checked early, usable without a network.

    reference      what a reference string names
    folders        where the files of a referenced model are; pinned checksums
    embedding      texts to vectors [H3, R2, S2]
    cross_encoder  scores of text pairs by a sequence classifier
    reranker       order of passages for a question [R4]
    critic         support of statements by passages [S4]
    chat           chat models, local or by provider [H6]
    structured     replies of chat models as objects of a schema [S3]
    llm_critic     a critic that is a chat model [S5]
    remote_client  models that a server runs, asked over HTTP: ``remote_embedder``,
                   ``remote_reranker`` and ``remote_pairs`` look like models on this machine

Importing any of these imports no torch, transformers or sentence_transformers; loading a model
imports what that model needs. The *reader* or *reader model* (``reader``) is the project's small
model that reads a question together with a passage. Codes such as [R4] name rows of
``docs/systems.md``. Modules here may import only: the files at the top of ``anamnesis``, and the
folder ``anamnesis.language``.
"""
