"""Renders tables for a terminal and as Markdown."""


class Table:
    """Rows of text under headers. The first `left` columns are aligned left, the others right."""

    def __init__(self, title, headers, left=1, note=""):
        self.title = title
        self.headers = headers
        self.left = left
        self.note = note
        self.rows = []

    def add(self, cells, ours=False):
        self.rows.append(([str(cell) for cell in cells], ours))


def terminal(blocks, color):
    """Renders blocks (tables and paragraphs) as plain text. Our rows are bold if `color` is set."""
    lines = []
    for block in blocks:
        if isinstance(block, str):
            lines += [block, ""]
            continue
        if not block.rows:
            continue
        lines.append(bold(block.title, color))
        rows = [(block.headers, False), *block.rows]
        widths = [max(len(row[column]) for row, _ in rows) for column in range(len(block.headers))]
        for cells, ours in rows:
            placed = [
                cell.ljust(width) if column < block.left else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(cells, widths))
            ]
            lines.append(bold("  " + "  ".join(placed).rstrip(), color and ours))
        if block.note:
            lines.append(f"  {block.note}")
        lines.append("")
    return "\n".join(lines)


def bold(text, color):
    return f"\x1b[1m{text}\x1b[0m" if color else text


def markdown(blocks):
    """Renders blocks (tables and paragraphs) as Markdown. Our rows are bold."""
    lines = []
    for block in blocks:
        if isinstance(block, str):
            lines += ["  \n".join(block.split("\n")).replace(":  \n- ", ":\n\n- ").replace("  \n- ", "\n- "), ""]
            continue
        if not block.rows:
            continue
        lines += [f"### {block.title}", ""]
        lines.append(f"| {' | '.join(block.headers)} |")
        marks = ["---" if column < block.left else "---:" for column in range(len(block.headers))]
        lines.append(f"| {' | '.join(marks)} |")
        for cells, ours in block.rows:
            cells = [cell.replace("|", "\\|") for cell in cells]
            lines.append("| " + " | ".join(f"**{cell}**" if ours and cell else cell for cell in cells) + " |")
        lines += ["", *([block.note, ""] if block.note else [])]
    return "\n".join(lines)


def microseconds(nanoseconds):
    """Formats nanoseconds as microseconds with at least three digits."""
    value = nanoseconds / 1000
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3g}"


def rate(per_second):
    return f"{per_second:,.0f}"


def times(ratio):
    return f"{ratio:.2f}"
