"""Walk through one run: what each step took and gave, then the same run with one thing changed.

python examples/walk.py "What are the symptoms of asthma?"
"""

import sys

from app.trace import diff as trace_diff
from app.trace import runs as trace
from app.trace.rendering import render
from app.trace.replay import replay
from graph import Context, graph

question = sys.argv[1] if len(sys.argv) > 1 else "What are the symptoms of asthma?"
context = {"generator.passages": 3}

# LangGraph reports every step of a run; a trace is made from these reports.
events = graph.stream({"question": question}, context=Context(**context), stream_mode="debug")
steps = list(trace.steps(events))
for line in render(steps):
    print(line)

# A step holds the state that it was given, so that the run can go on from there otherwise.
other = {**context, "generator.max_statements": 1}
again = replay(steps, "generate", other)
print("\nWith generator.max_statements=1 from generate on:")
place = [step["node"] for step in steps].index("generate")
first, second = {"question": question, "context": context}, {"question": question, "context": other}
for line in trace_diff.render(trace_diff.diff((first, steps), (second, [*steps[:place], *again]))):
    print(line)
