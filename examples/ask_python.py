"""Ask from Python: every statement with where it stands.

python examples/ask_python.py "What are the symptoms of asthma?"
"""

import sys

from graph import Context, graph

question = sys.argv[1] if len(sys.argv) > 1 else "What are the symptoms of asthma?"
answer = graph.invoke({"question": question}, context=Context(generator={"max_statements": 4}))[
    "answer"
]

sure = answer["confidence"]
print(f"{answer['outcome']} ({answer['reason']})")
print(f"support {sure['support']}, relevance {sure['relevance']}")
texts = {source["id"]: source for source in answer["sources"]}
for statement in answer["statements"]:
    print(f"\n{statement['text']}")
    if place := statement["evidence"]:
        source = texts[place["document"]]
        print(f"  says {source['title']!r}: {source['text'][place['start'] : place['end']]!r}")
