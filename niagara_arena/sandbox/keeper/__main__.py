"""Run the keeper: ``python -I -S …/keeper SOCKET-FD RUNNER-PID SCRATCH CGROUP…``."""

from __future__ import annotations

import sys
import types

# The packages above are stood in for by empty ones: their own code needs libraries that this
# interpreter, started without the site's packages, does not see.
_HERE = __file__.rpartition("/")[0]
for _name, _up in (("niagara_arena", 2), ("niagara_arena.sandbox", 1)):
    _package = types.ModuleType(_name)
    _package.__path__ = [_HERE.rsplit("/", _up)[0]]
    sys.modules[_name] = _package

from niagara_arena.sandbox.keeper.serve import serve  # noqa: E402 - after the stand-ins

if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
