"""The command ``anamnesis models``: the project's models for other machines, over HTTP.

The modules here serve an embedder, a reader and a critic through the APIs that
``anamnesis.models.remote_client`` supports, and show what another server offers. Modules here may
import only: ``anamnesis``.
"""
