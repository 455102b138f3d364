"""How large the product is: ``python -m tests.size [FOLDER]``, the folder of a checkout.

All figures are read from the files, so that a checkout of an earlier commit is measured by the same
rules. Product: the packages at the top, without tests, training and benchmarks.
"""

import ast
import sys
from pathlib import Path

from tests.test_house import ROOT, TOOLS
from tests.word_lists import LEAST, in_code


def packages(root: Path) -> list[str]:
    """The names of the product's packages in a checkout."""
    found = sorted(path.parent.name for path in root.glob("*/__init__.py"))
    return [name for name in found if name not in {*TOOLS, "tests"}]


def size(root: Path) -> dict[str, int]:
    """The figures of a checkout, by what they count."""
    files = [path for name in packages(root) for path in sorted((root / name).rglob("*.py"))]
    trees = {path: ast.parse(path.read_text("utf-8")) for path in files}
    written = [one.words for one in in_code(root, packages(root))]
    lists = written + lexicon(root)
    return {
        "product files": len(files),
        "product lines": lines(files),
        "test lines": lines(list((root / "tests").rglob("*.py"))),
        "files at the top of nodes/": sum(path.parent == root / "nodes" for path in files),
        "files in nodes/ and its folders": sum(root / "nodes" in path.parents for path in files),
        "compiled patterns": sum(map(patterns, trees.values())),
        "word lists": len(lists),
        "words in them": sum(map(len, lists)),
        "word lists in code": len(written),
        "words in those": sum(map(len, written)),
        "settings": settings(root),
    }


def lines(files: list[Path]) -> int:
    """The lines of files, blank ones and comments included."""
    return sum(len(path.read_text("utf-8").splitlines()) for path in files)


def lexicon(root: Path) -> list[frozenset[str]]:
    """The classes of a checkout's lexicon that are long enough to count; none if it has none."""
    folder = root / "anamnesis/language"
    found: list[set[str]] = []
    for file in (folder / "lexicon.tsv", *(folder / "lexicon").glob("*.tsv")):
        for row in file.read_text("utf-8").splitlines()[1:] if file.exists() else ():
            name, words = row.split("\t")
            if name:
                found.append(set())
            found[-1] |= {*words.split()}
    return [frozenset(words) for words in found if len(words) >= LEAST]


def patterns(tree: ast.Module) -> int:
    """The calls that compile a pattern; of a function that only does this, its calls."""
    short = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and isinstance(last := node.body[-1], ast.Return)
        and last.value is not None
        and ast.unparse(last.value).startswith("re.compile(")
    }
    calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return sum(name == "re.compile" or name in short for name in calls) - len(short)


def settings(root: Path) -> int:
    """The fields of the settings of a checkout; a group of settings is none itself."""
    files = (root / "nodes").rglob("*.py")
    return sum(_fields(ast.parse(path.read_text("utf-8"))) for path in files)


def _fields(tree: ast.Module) -> int:
    return sum(
        isinstance(field, ast.AnnAssign)
        and not ast.unparse(field.annotation).startswith("ClassVar")
        and not ast.unparse(field.annotation).endswith("Settings")
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and (node.name == "Context" or node.name.endswith("Settings"))
        for field in node.body
    )


def main() -> None:
    """Print the figures."""
    for name, figure in size(Path(sys.argv[1]).resolve() if sys.argv[1:] else ROOT).items():
        print(f"{figure:7,}  {name}")


if __name__ == "__main__":
    main()
