"""Decisions of experts on waiting questions, for the command, the routes and the page [M9].

Modules here may import only: everything below ``app``.
"""
