"""Attacks on a running server: each a function that raises ``BrokeError`` where one succeeds."""
