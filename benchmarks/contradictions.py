"""False and true positives in finding contradictions between memories.

    python -m benchmarks.contradictions [--data DIR]

False positives are counted in LoCoMo's conversations (``locomo10.json.gz``): the clauses of each
speaker about themselves, and the observations noted by its authors, are each compared with every
earlier one of that speaker. Links are printed for inspection, because speakers hardly contradict
themselves there. True positives are counted on patients' clauses that say the opposite, or give
another dose, and false ones on as many that say something similar of another subject.
"""

import json
from itertools import pairwise

from anamnesis.corpus.files import read_text
from anamnesis.memory.clauses import clauses
from anamnesis.memory.content import Said
from anamnesis.memory.record import Memory
from anamnesis.models.critic import Critic, load_critic
from benchmarks.command_line import command_line
from nodes.remembering.judged_memories import contradicted

_CONDITIONS = "asthma,gout,high blood pressure,type 2 diabetes,epilepsy,kidney disease".split(",")
_MEDICINES = "warfarin,ramipril,metformin,insulin,lithium,prednisolone".split(",")
_ALLERGENS = "nuts,penicillin,latex,eggs,aspirin,bee stings".split(",")
_OPPOSED = [
    ("I have {}", "I don't have {}", _CONDITIONS),
    ("I've had {}", "I have never had {}", _CONDITIONS),
    ("I was diagnosed with {}", "I was never diagnosed with {}", _CONDITIONS),
    ("I am allergic to {}", "I'm not allergic to {}", _ALLERGENS),
    ("I take {}", "I do not take {}", _MEDICINES),
    ("I take 5 mg of {}", "I take 10 mg of {} every day", _MEDICINES),
    ("I take 5 mg of {}", "I take 10 mg of {}", _MEDICINES),
]


def _memory(text: str) -> Memory:
    said = Said(words=text)
    return Memory.make(owner="one", kind="question", text=said.text, content=said)


def _links(texts: list[str], critic: Critic) -> int:
    """The number of texts that contradict an earlier one; each is printed."""
    memories = [_memory(text) for text in dict.fromkeys(texts)]
    count = 0
    for place, memory in enumerate(memories):
        for loser, winner in contradicted([memory], memories[:place], critic):
            print(f"  {loser.text} — {winner.text}")
            count += 1
    return count


def main() -> None:
    options = command_line(__doc__, "data")
    given = options.parse_args()
    critic = load_critic()
    pairs = links = 0
    for one in json.loads(read_text(given.data / "locomo10.json.gz")):
        conversation = one["conversation"]
        for speaker in (conversation["speaker_a"], conversation["speaker_b"]):
            turns = [
                turn for item in conversation.values() if isinstance(item, list) for turn in item
            ]
            said = [turn["text"] for turn in turns if turn["speaker"] == speaker]
            stated = [clause for text in said for clause in clauses(text)]
            begins = ("i ", "i'", "i’", "my ")
            of_themselves = [clause for clause in stated if clause.lower().startswith(begins)]
            noted = [text for item in one["observation"].values() for text, _ in item[speaker]]
            for texts in (of_themselves, noted):
                number = len(set(texts))
                pairs += number * (number - 1) // 2
                links += _links(texts, critic)
    print(f"LoCoMo: {links} links in {pairs} pairs")
    found = wrong = asked = 0
    for one, other, names in _OPPOSED:
        for name, another in pairwise([*names, names[0]]):
            earlier = [_memory(one.format(name))]
            asked += 1
            found += bool(contradicted([_memory(other.format(name))], earlier, critic))
            wrong += bool(contradicted([_memory(other.format(another))], earlier, critic))
    print(f"patients: {found} of {asked} contradictions found, {wrong} links of {asked} others")


if __name__ == "__main__":
    main()
