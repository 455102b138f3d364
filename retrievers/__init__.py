"""Retrievers: sparse, dense and fused lists of passages, and the index on disk (R1-R3, H3).

- ``build.build`` makes or updates an index folder, ``index.open_index`` opens one;
- ``search.search`` searches it by one method, or by several that are fused;
- ``langchain`` has the same as LangChain retrievers;
- ``fusion`` holds the decisions as pure functions.
"""
