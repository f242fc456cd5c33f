"""Share the `niagara` fixture of the command line's tests."""

from __future__ import annotations

from tests.cli.conftest import niagara

__all__ = ["niagara"]
