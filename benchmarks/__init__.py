"""Benchmarks of speed, memory and quality; tests assert none of the figures."""
