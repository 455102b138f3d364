"""The steps of the graph, one per file: functions of state and runtime that return an update."""
