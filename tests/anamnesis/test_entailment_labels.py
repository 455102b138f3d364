"""The labels of natural language inference are written once."""

import ast

from anamnesis.entailment import LABELS
from tests.test_house import FLOORS, ROOT, TOOLS


def test_no_other_module_lists_the_labels() -> None:
    listing = set()
    for package in (*FLOORS, *TOOLS):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Tuple | ast.List | ast.Set):
                    values = {
                        element.value for element in node.elts if isinstance(element, ast.Constant)
                    }
                    if values >= set(LABELS):
                        listing.add(str(path.relative_to(ROOT)))
    assert listing == {"anamnesis/entailment.py"}, "take them from anamnesis.entailment"
