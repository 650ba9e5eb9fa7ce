"""The runner of the measuring programs. It needs Python 3.9 or newer, and nothing else."""
