"""The time of recalling, storing and deleting memories, with many memories of many users.

    python -m benchmarks.memories [--memories 10000] [--users 100] [--calls 200]

Memories in a temporary folder: questions with short texts made from words of the benchmarks'
questions. They are embedded once by the default embedder and added user by user. Printed: p50 and
p95 of ``calls`` recalls (embedding the question, search, ranking), of storing one exchange with one
note (embedding, search for contradictions, writing), of some deletions, and the bytes on disk; as a
reference for the machine, also of embedding a question.
"""

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from anamnesis.memory.choosing import choose_memories
from anamnesis.memory.record import KINDS, Memory, now
from anamnesis.memory.scores import RANKINGS
from anamnesis.memory.store import Memories
from anamnesis.models.critic import load_critic
from anamnesis.models.embedding import load_embedder
from benchmarks.command_line import command_line
from benchmarks.questions import QUESTIONS
from nodes.remembering.judged_memories import contradicted
from nodes.settings.context import Context

_DELETIONS = 10


def _made(user: str, chance: random.Random) -> Memory:
    words = " ".join(QUESTIONS).split()
    text = f"{chance.choice(QUESTIONS)}\n{' '.join(chance.choices(words, k=25))}."
    return Memory.make(owner=user, kind=chance.choice(KINDS), text=text)


def _times(calls: int, call: Callable[[int], object]) -> str:
    spent = []
    for number in range(calls):
        start = time.perf_counter()
        call(number)
        spent.append((time.perf_counter() - start) * 1000)
    spent.sort()
    p95 = spent[min(len(spent) - 1, round(0.95 * len(spent)))]
    return f"p50 {statistics.median(spent):.1f} ms, p95 {p95:.1f} ms ({calls} calls)"


def main() -> None:
    options = command_line(__doc__)
    options.add_argument("--memories", type=int, default=10_000)
    options.add_argument("--users", type=int, default=100)
    options.add_argument("--calls", type=int, default=200)
    given = options.parse_args()
    chance = random.Random(0)
    users = [f"user {number}" for number in range(given.users)]
    with tempfile.TemporaryDirectory() as folder:
        kept = Memories(Path(folder), load_embedder())
        start = time.perf_counter()
        for user in users:
            kept.add(user, [_made(user, chance) for _ in range(given.memories // given.users)])
        spent = time.perf_counter() - start
        print(f"{given.memories} memories of {given.users} users added in {spent:.0f} s")

        embedder, critic, context = load_embedder(), load_critic(), Context.model_validate({})

        def embed(number: int) -> None:
            embedder.embed_queries([f"{QUESTIONS[number % len(QUESTIONS)]} {number}"])

        def recall(number: int) -> None:
            question = f"{QUESTIONS[number % len(QUESTIONS)]} {number}"
            found = kept.nearest(
                chance.choice(users), question, lexical_weight=context.memory.lexical_weight
            )
            weights = RANKINGS[context.memory.ranking]
            choose_memories(
                found, now(), weights=weights, threshold=0.3, exchanges=context.memory.max_exchanges
            )

        def remember(number: int) -> None:
            user = chance.choice(users)
            new = kept.add(user, [_made(user, chance), _made(user, chance)])
            for loser, winner in contradicted(new, kept.all(user), critic):
                kept.supersede(user, loser.id, winner.id)

        def delete(number: int) -> None:
            user = chance.choice(users)
            kept.delete(user, [kept.all(user)[0].id])

        for user in users:  # the first access reads a user's vectors from disk
            kept.nearest(user, QUESTIONS[0])
        print(f"embedding a question: {_times(given.calls, embed)}")
        print(f"recall: {_times(given.calls, recall)}")
        print(f"remember: {_times(given.calls, remember)}")
        print(f"delete one: {_times(_DELETIONS, delete)}")
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        print(f"on disk: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
