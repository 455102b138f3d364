"""The labels of natural language inference: how a passage relates to a statement."""

from typing import Literal, get_args

Label = Literal["entailment", "neutral", "contradiction"]
LABELS: tuple[Label, ...] = get_args(Label)
"""The labels in the order of the outputs of the project's models."""
