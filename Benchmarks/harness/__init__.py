"""The harness that runs the measuring programs. It needs only Python 3.9 or newer."""
