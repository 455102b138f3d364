"""Training on a GPU: two teachers, and the small models that learn from them.

``python -m training.distil.pack`` writes everything that the training needs into a folder; ``python
-m training.distil.run`` trains, and needs only torch, numpy, tokenizers and safetensors, so that it
runs on a machine that has nothing else; ``python -m training.distil.ship`` calibrates the results
and writes the published files.
"""
