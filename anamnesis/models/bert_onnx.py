"""A BERT encoder or classifier as an ONNX graph, made from its weights without torch.

The graph takes token ids of texts of one length (batch, length) and gives pooled vectors (batch,
hidden), or a classifier's outputs. Texts of one length need no padding and no mask, so no
computation is wasted.

``int8`` multiplies with 8-bit integers: weights scaled per output channel, activations per run. In
the first three blocks the second matrix of the feed-forward part stays in float32: a few huge
values after GELU would leave too few of the 256 steps for the rest of its input, and the error
would pass through all later blocks. On MedQuAD passages the minimum cosine of all-MiniLM-L6-v2 is
.984 without this exception and .994 with it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from anamnesis.errors import ModelError
from anamnesis.models.cpu import Precision

# Increased whenever the graph changes, so that copies made by other versions are not used.
GRAPH_VERSION = 4

_EXACT = 3
"""The number of blocks, from the lowest, whose second feed-forward matrix stays in float32."""
_MIDDLE = 3
"""The block, counted from 1, whose states ``build_reader`` gives as a mean."""

Array = npt.NDArray[Any]
Weights = Mapping[str, Array]
_CONTRIB = "com.microsoft"


def can_build(config: Mapping[str, Any]) -> bool:
    """Whether the configuration is that of a plain BERT encoder."""
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not config.get("is_decoder", False)
    )


def can_build_classifier(config: Mapping[str, Any]) -> bool:
    """Whether the configuration is that of a plain BERT encoder with one linear layer on top."""
    return can_build(config) and config.get("architectures") == ["BertForSequenceClassification"]


def read_weights(folder: Path) -> Weights:
    """The float32 weights of a BERT folder, named without a leading ``bert.``.

    Raises ModelError if they are not in one safetensors or pytorch_model.bin file.
    """
    if (file := folder / "model.safetensors").is_file():
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            found: dict[str, Any] = load_file(file)
        except SafetensorError as error:
            raise ModelError(f"{file} is damaged ({error}); copy the model again") from error
    elif (file := folder / "pytorch_model.bin").is_file():
        import torch

        loaded = torch.load(file, map_location="cpu", weights_only=True)
        found = {name: tensor.float().numpy() for name, tensor in loaded.items()}
    else:
        raise ModelError(f"folder {folder} has its weights in several files")
    return {
        name.removeprefix("bert."): np.ascontiguousarray(value, dtype=np.float32)
        for name, value in found.items()
        if value.dtype.kind == "f"
    }


def build(weights: Weights, config: Mapping[str, Any], pooling: str, precision: Precision) -> bytes:
    """The serialised graph: ``input_ids`` int64 (b, s) to ``vector`` float32 (b, hidden).

    Raises ModelError, naming the tensor, if one is missing.
    """
    graph = _Graph(weights, precision)
    state = _encoder(graph, config, typed=False)
    if pooling == "cls":
        first = graph.constant("first", np.array(0, np.int64))
        graph.node("Gather", [state, first], "vector", axis=1)
    else:
        graph.node("ReduceMean", [state], "vector", axes=[1], keepdims=0)
    return graph.serialise(["input_ids"], int(config["hidden_size"]))


def build_classifier(weights: Weights, config: Mapping[str, Any], precision: Precision) -> bytes:
    """The serialised graph: ``input_ids`` and ``token_type_ids`` (b, s) to logits (b, labels).

    Pooler and classifier are computed in float32: they are small, and rounding errors there affect
    the output directly. Raises ModelError, naming the tensor, if one is missing.
    """
    graph = _Graph(weights, precision)
    state = _encoder(graph, config, typed=True, first_only=True)
    state = graph.node("Squeeze", [state, graph.constant("axis", np.array([1]))], "opening")
    state = graph.node("Tanh", [graph.linear("pooler.dense", state, exact=True)], "pooled")
    outputs = graph.linear("classifier", state, exact=True)
    graph.node("Identity", [outputs], "vector")
    labels = len(graph.weight("classifier.bias"))
    return graph.serialise(["input_ids", "token_type_ids"], labels)


def build_reader(weights: Weights, config: Mapping[str, Any], precision: Precision) -> bytes:
    """The serialised graph: ``input_ids`` and ``token_type_ids`` (b, s) to three outputs.

    ``vector`` (b, outputs) is over the pooled first token, ``tokens`` (b, s) over every token, and
    ``middle`` (b, hidden) is the mean of the tokens' states after the block ``_MIDDLE`` (the last
    one if there are fewer). Raises ModelError, naming the tensor, if one is missing.
    """
    graph = _Graph(weights, precision)
    state = _encoder(graph, config, typed=True)
    block = min(_MIDDLE, int(config["num_hidden_layers"])) - 1
    states = f"encoder.layer.{block}.output.LayerNorm"  # (b, s, hidden), after the block
    graph.node("ReduceMean", [states], "middle", axes=[1], keepdims=0)
    first = graph.constant("first", np.array(0, np.int64))
    opening = graph.node("Gather", [state, first], "opening", axis=1)
    pooled = graph.node("Tanh", [graph.linear("pooler.dense", opening, exact=True)], "pooled")
    graph.node("Identity", [graph.linear("outputs", pooled, exact=True)], "vector")
    axis = graph.constant("axis", np.array([2]))
    graph.node("Squeeze", [graph.linear("sentence", state, exact=True), axis], "tokens")
    outputs = len(graph.weight("outputs.bias"))
    hidden = int(config["hidden_size"])
    return graph.serialise(["input_ids", "token_type_ids"], outputs, tokens=True, middle=hidden)


def _encoder(
    graph: "_Graph", config: Mapping[str, Any], typed: bool, first_only: bool = False
) -> str:
    """The last block's output: (b, s, hidden), or with ``first_only`` (b, 1, hidden).

    If only the first token is used, the last block computes no others.
    """
    epsilon = float(config.get("layer_norm_eps", 1e-12))
    heads = int(config["num_attention_heads"])
    state = _embeddings(graph, epsilon, typed)
    layers = int(config["num_hidden_layers"])
    for number in range(layers):
        lower = number < _EXACT
        name, asked = f"encoder.layer.{number}", state
        if first_only and number == layers - 1:
            zero, one = (graph.constant(f"at{n}", np.array([n], np.int64)) for n in (0, 1))
            asked = graph.node("Slice", [state, zero, one, one], "beginning")
        state = _layer(graph, name, state, asked, heads, epsilon, lower)
    return state


def _embeddings(graph: "_Graph", epsilon: float, typed: bool) -> str:
    positions = graph.weight("embeddings.position_embeddings.weight")
    types = graph.weight("embeddings.token_type_embeddings.weight")
    if not typed:
        # Every token has the first type, so the row of this type is added to the positions once.
        positions = positions + types[0]
    words = graph.constant("words", graph.weight("embeddings.word_embeddings.weight"))
    table = graph.constant("positions", positions)
    zero = graph.constant("zero", np.array([0], np.int64))
    word = graph.node("Gather", [words, "input_ids"], "word")
    length = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    position = graph.node("Slice", [table, zero, length, zero], "position")
    total = graph.node("Add", [word, position], "embedded")
    if typed:
        type_states = graph.node(
            "Gather", [graph.constant("types", types), "token_type_ids"], "type"
        )
        total = graph.node("Add", [total, type_states], "typed")
    return graph.norm("embeddings.LayerNorm", total, epsilon)


def _layer(
    graph: "_Graph", name: str, state: str, asked: str, heads: int, epsilon: float, lower: bool
) -> str:
    """A block over ``state``, computed for the tokens in ``asked``."""
    attention = f"{name}.attention.self"
    parts = [graph.linear(f"{attention}.query", asked)]
    parts += [graph.linear(f"{attention}.{part}", state) for part in ("key", "value")]
    mixed = graph.node(
        "MultiHeadAttention", parts, f"{attention}.mixed", domain=_CONTRIB, num_heads=heads
    )
    attended = graph.linear(f"{name}.attention.output.dense", mixed)
    attended = graph.node("Add", [attended, asked], f"{name}.attended")
    # Add and LayerNormalization, not the fused SkipLayerNormalization: that one is slower on CPUs.
    attended = graph.norm(f"{name}.attention.output.LayerNorm", attended, epsilon)
    raised = graph.linear(f"{name}.intermediate.dense", attended)
    raised = graph.node("Gelu", [raised], f"{name}.gelu", domain=_CONTRIB)
    lowered = graph.linear(f"{name}.output.dense", raised, exact=lower)
    lowered = graph.node("Add", [lowered, attended], f"{name}.lowered")
    return graph.norm(f"{name}.output.LayerNorm", lowered, epsilon)


class _Graph:
    """Nodes and constants on their way to a model file."""

    def __init__(self, weights: Weights, precision: Precision) -> None:
        from onnx import helper, numpy_helper

        self._helper, self._numpy = helper, numpy_helper
        self._weights, self._precision = weights, precision
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._rounded: dict[str, tuple[str, str, str]] = {}

    def weight(self, name: str) -> Array:
        if name not in self._weights:
            raise ModelError(f"the model's weights lack {name!r}: it is not a BERT encoder")
        return self._weights[name]

    def constant(self, name: str, value: Array) -> str:
        # ascontiguousarray would turn a scalar into a vector.
        value = value if value.ndim == 0 else np.ascontiguousarray(value)
        self._constants.append(self._numpy.from_array(value, name))
        return name

    def node(
        self, kind: str, inputs: list[str], output: str, domain: str = "", **settings: Any
    ) -> str:
        made = self._helper.make_node(kind, inputs, [output], domain=domain, **settings)
        self._nodes.append(made)
        return output

    def norm(self, name: str, source: str, epsilon: float) -> str:
        scale = self.constant(f"{name}.weight", self.weight(f"{name}.weight"))
        bias = self.constant(f"{name}.bias", self.weight(f"{name}.bias"))
        return self.node("LayerNormalization", [source, scale, bias], name, epsilon=epsilon)

    def linear(self, name: str, source: str, exact: bool = False) -> str:
        matrix = self.weight(f"{name}.weight").T  # (in, out)
        bias = self.constant(f"{name}.bias", self.weight(f"{name}.bias"))
        if exact or self._precision == "float32":
            stored = self.constant(f"{name}.weight", matrix)
            product = self.node("MatMul", [source, stored], f"{name}.x")
            return self.node("Add", [product, bias], name)
        step = np.maximum(np.abs(matrix).max(axis=0), 1e-12) / 127
        whole = self.constant(f"{name}.weight", np.round(matrix / step).astype(np.int8))
        steps = self.constant(f"{name}.steps", step.astype(np.float32))
        zeros = self.constant(f"{name}.zeros", np.zeros(matrix.shape[1], np.int8))
        rounded, scale, zero = self._round(source)
        inputs = [rounded, whole, scale, steps, zero, zeros, bias]
        return self.node("MatMulIntegerToFloat", inputs, name, domain=_CONTRIB)

    def _round(self, source: str) -> tuple[str, str, str]:
        if source not in self._rounded:  # query, key and value share one
            names = (f"{source}.int8", f"{source}.scale", f"{source}.zero")
            made = self._helper.make_node("DynamicQuantizeLinear", [source], list(names))
            self._nodes.append(made)
            self._rounded[source] = names
        return self._rounded[source]

    def serialise(
        self, inputs: list[str], width: int, tokens: bool = False, middle: int = 0
    ) -> bytes:
        from onnx import TensorProto

        value = self._helper.make_tensor_value_info
        outputs = [value("vector", TensorProto.FLOAT, ["batch", width])]
        if tokens:
            outputs.append(value("tokens", TensorProto.FLOAT, ["batch", "length"]))
        if middle:
            outputs.append(value("middle", TensorProto.FLOAT, ["batch", middle]))
        given = [value(name, TensorProto.INT64, ["batch", "length"]) for name in inputs]
        graph = self._helper.make_graph(self._nodes, "bert", given, outputs, self._constants)
        opsets = [self._helper.make_opsetid("", 17), self._helper.make_opsetid(_CONTRIB, 1)]
        model = self._helper.make_model(graph, opset_imports=opsets, ir_version=8)
        data: bytes = model.SerializeToString()
        return data
