"""The command ``anamnesis``: ``main``, and one file per command.

The modules here read options, call other packages, and print. Modules here may import only:
everything below ``app``, the files at the top of ``app``, and all other folders of it but the
server's: ``app.evaluate``, ``app.experts``, ``app.serving``, ``app.trace``, ``app.users`` and
``app.web``.
"""
