"""What can go wrong, said so that one knows what to do."""


class Trouble(Exception):
    """The run cannot go on."""
