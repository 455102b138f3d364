"""A chat client: messages in, messages out, in one thread. An empty line ends it.

python examples/chat.py

Any client that sends messages to a LangGraph server works so. ANAMNESIS_URL is the server's
address, ANAMNESIS_TOKEN the token if it asks for one.
"""

import os
import sys

from langgraph_sdk import get_sync_client

token = os.environ.get("ANAMNESIS_TOKEN")
client = get_sync_client(
    url=os.environ.get("ANAMNESIS_URL", "http://127.0.0.1:2024"),
    headers={"Authorization": f"Bearer {token}"} if token else {},
)
thread = client.threads.create()["thread_id"]

for line in sys.stdin:
    if not line.strip():
        break
    said = {"role": "user", "content": line.strip()}
    result = client.runs.wait(thread, "anamnesis", input={"messages": [said]})
    print(result["messages"][-1]["content"], end="\n\n", flush=True)
