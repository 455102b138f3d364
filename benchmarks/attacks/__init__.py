"""Attacks on a running server: functions that raise ``BrokeError`` if they succeed."""
