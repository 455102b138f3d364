"""Question and passage pairs with their relevance [R4]."""

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from training.examples import Example, plain, records
from training.mining import Miner

# The relevance of the four grades of MEDIQA and LiveQA: incorrect, related, incomplete, excellent.
_GRADES = {1: 0.0, 2: 0.25, 3: 0.75, 4: 1.0}


def questions(folder: Path) -> list[Example]:
    """Pairs of questions: does an answer to the second answer the first? (RQE, MQP)."""
    pairs = [
        Example(item["question"], item["faq"], relevance=float(item["entails"]))
        for item in records(folder, "rqe")
        if item["split"] == "train"
    ]
    pairs += [
        Example(item["question_1"], item["question_2"], relevance=float(item["label"]))
        for item in records(folder, "medical_question_pairs")
    ]
    return [item for item in pairs if plain(item.first) != plain(item.second)]


def graded_answers(folder: Path, split: str) -> list[Example]:
    """Questions of MEDIQA 2019 with answers graded by experts; ``train_alexa`` or ``validation``.

    Its ``train_liveqa`` part is the LiveQA test set under another name, and is left out.
    """
    return [
        Example(
            item["question"], answer["answer"], relevance=_GRADES[int(answer["reference_score"])]
        )
        for item in records(folder, "mediqa2019_qa")
        if item["split"] == split
        for answer in item["answers"]
    ]


def collections(folder: Path, seed: int) -> list[Example]:
    """BioASQ, PubMedQA, SciFact and medication questions; two hard negatives per positive.

    BioASQ's yes/no questions are left out, because MIRAGE contains them.
    """
    rng = random.Random(seed)
    found: list[Example] = []
    bioasq = {item["id"]: item["text"] for item in records(folder, "bioasq_passages")}
    asked = [
        (item["question"], item["relevant_passages"])
        for item in records(folder, "bioasq_questions")
        if item["type"] != "yesno"
    ]
    found += with_negatives(asked, bioasq, 3, rng)
    scifact = {
        item["id"]: f"{item['title']} {item['text']}"
        for item in records(folder, "ir_scifact_corpus")
    }
    claims = [
        (item["text"], [key for key, grade in item["relevant"].items() if grade > 0])
        for item in records(folder, "ir_scifact_queries")
        if item["split"] == "train"
    ]
    found += with_negatives(claims, scifact, 2, rng)
    studies: dict[str, str] = {}
    asked = []
    for item in records(folder, "pubmedqa_pqal"):
        contexts = {f"{item['id']}-{place}": text for place, text in enumerate(item["contexts"])}
        studies |= contexts
        asked.append((item["question"], list(contexts)))
    found += with_negatives(asked, studies, 1, rng)
    rows = list(records(folder, "medication_qa"))
    drugs = {item["id"]: item["answer"] for item in rows if item["answer"]}
    asked = [(item["question"], [item["id"]]) for item in rows]
    found += with_negatives(asked, drugs, 1, rng)
    return found


def with_negatives(
    asked: Iterable[tuple[str, Sequence[str]]],
    texts: Mapping[str, str],
    most: int,
    rng: random.Random,
) -> list[Example]:
    """For each question up to ``most`` of its texts, and two hard negatives for each of them."""
    keys = list(texts)
    place_of = {key: place for place, key in enumerate(keys)}
    found: list[Example] = []
    with Miner([texts[key] for key in keys]) as miner:
        for question, relevant in asked:
            known = [key for key in relevant if key in place_of]
            if not known:
                continue
            chosen = rng.sample(known, min(most, len(known)))
            near = miner.near(question, 12, {place_of[key] for key in known})
            wrong = rng.sample(near, min(2 * len(chosen), len(near)))
            found += [Example(question, texts[key], relevance=1.0) for key in chosen]
            found += [Example(question, texts[keys[place]], relevance=0.0) for place in wrong]
    return found
