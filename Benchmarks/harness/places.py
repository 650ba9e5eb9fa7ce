"""The paths of files and directories in a checkout."""
import os

BENCHMARKS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
ROOT = os.path.dirname(BENCHMARKS)
VECTORS = os.path.join(ROOT, "Vectors")
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
PEER_EXECUTABLES = os.path.join(BENCHMARKS, ".peers", "bin")
WORK = os.path.join(BENCHMARKS, ".work")


def work_place(*parts):
    """Returns a directory for files that can be generated again, and creates it if needed. Git ignores it."""
    path = os.path.join(WORK, *parts)
    os.makedirs(path, exist_ok=True)
    ignored = os.path.join(WORK, ".gitignore")
    if not os.path.exists(ignored):
        with open(ignored, "w", encoding="ascii") as file:
            file.write("*\n")
    return path


def shown(path):
    """Returns a path relative to the checkout, for messages. A path outside the checkout stays as it is."""
    relative = os.path.relpath(path, ROOT)
    return path if relative.startswith("..") else relative
