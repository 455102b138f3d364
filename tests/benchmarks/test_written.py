"""The claims that readers wrote and judged are what the benchmark takes them for."""

import json
from collections import Counter

from benchmarks.written import FILE


def test_each_claim_has_a_label_and_what_settles_it_in_its_passage() -> None:
    rows = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
    assert len({(own["record"], own["start"], own["claim"]) for own in rows}) == len(rows)
    for own in rows:
        assert set(own) == {"record", "start", "end", "claim", "label", "evidence"}
        assert bool(own["evidence"]) == (own["label"] != "neutral")
        assert all(own["start"] <= start < end <= own["end"] for start, end in own["evidence"])
    labels = Counter(own["label"] for own in rows)
    assert set(labels) == {"entailment", "neutral", "contradiction"}
    assert min(labels.values()) > 400
