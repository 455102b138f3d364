"""Decisions of experts on waiting questions, for the command, the routes and the page [M9].

May be imported: everything below ``app``.
"""
