"""Training on a GPU: larger models as teachers, and the small models that learn from them.

``python -m training.distil.pack`` and ``weigh`` write into a folder all texts and weights that the
training needs; ``run`` trains, first with ``teach``, then with ``learn``, and needs only torch,
numpy, tokenizers and safetensors, so that it runs on a machine that has nothing else; ``ship``
calibrates the results and writes the published files. The small models start from the published
ones.
"""
