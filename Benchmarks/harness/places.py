"""Where things lie in a checkout."""
import os

BENCHMARKS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
ROOT = os.path.dirname(BENCHMARKS)
VECTORS = os.path.join(ROOT, "Vectors")
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
PEER_EXECUTABLES = os.path.join(BENCHMARKS, ".peers", "bin")
WORK = os.path.join(BENCHMARKS, ".work")


def work_place(*parts):
    """A directory for what can be made again, made if it is not there; git does not see it."""
    path = os.path.join(WORK, *parts)
    os.makedirs(path, exist_ok=True)
    ignored = os.path.join(WORK, ".gitignore")
    if not os.path.exists(ignored):
        with open(ignored, "w", encoding="ascii") as file:
            file.write("*\n")
    return path


def shown(path):
    """A path as a person reads it: from the checkout on."""
    relative = os.path.relpath(path, ROOT)
    return path if relative.startswith("..") else relative
