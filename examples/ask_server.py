"""Ask a server with the SDK, and see what it does while you wait.

python examples/ask_server.py "What are the symptoms of asthma?"

ANAMNESIS_URL is the server's address, ANAMNESIS_TOKEN the token if it asks for one.
"""

import os
import sys

from langgraph_sdk import get_sync_client

question = sys.argv[1] if len(sys.argv) > 1 else "What are the symptoms of asthma?"
token = os.environ.get("ANAMNESIS_TOKEN")
client = get_sync_client(
    url=os.environ.get("ANAMNESIS_URL", "http://127.0.0.1:2024"),
    headers={"Authorization": f"Bearer {token}"} if token else {},
)

# No thread: nothing of the question stays on the server.
for event in client.runs.stream(
    None,
    "anamnesis",
    input={"question": question},
    context={"generator.stream_statements": True},
    stream_mode=["custom", "values"],
):
    if event.event == "custom" and event.data["type"] == "statement":
        print(f"{event.data['verdict']}: {event.data['text']}", file=sys.stderr)
    elif event.event == "custom":
        print(f"{event.data['step']} …", file=sys.stderr)
    elif event.event == "values" and event.data.get("answer"):
        answer = event.data["answer"]
    elif event.event == "error":
        sys.exit(event.data["message"])
print(answer["text"])
