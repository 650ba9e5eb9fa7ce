"""The error that ends a run, with a message that tells the user what to do."""


class Trouble(Exception):
    """An error after which the command cannot continue."""
