"""Draws a chart of a run: bars for each class, and lines for whole programs. The SVG needs no other file."""
from xml.sax.saxutils import escape

from .programs import COMMAND, END_TO_END_PEERS, OURS, OURS_PORTABLE, PEERS
from .report import HEADLINE, OUR_NAMES, Results, control_speedup, end_to_end_figures
from .trouble import Trouble

WIDTH, MARGIN, GAP = 980, 32, 36
COLUMN = (WIDTH - 2 * MARGIN - GAP) / 2
LABEL, VALUE = 150, 62
BAR, PITCH = 14, 21
PLOT = 210
# The width to the right of the lines, for their names.
NAMES = 142

STYLE = """
  text { font: 12px system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #1f2933 }
  .page { fill: #ffffff }
  .title { font-size: 20px; font-weight: 650 }
  .heading { font-size: 14px; font-weight: 650 }
  .group { font-weight: 600 }
  .quiet { fill: #6b7785 }
  .small { font-size: 11px }
  .ours { fill: #1769d2 } .also { fill: #8fb8ee } .peer { fill: #b9c1cb }
  .strong { font-weight: 650 }
  .whisker { stroke: #1f2933; stroke-opacity: 0.55; stroke-width: 1 }
  .axis { stroke: #c9d0d8; stroke-width: 1 } .grid { stroke: #e8ebef; stroke-width: 1 }
  .line { fill: none; stroke-width: 2 } .one { stroke-dasharray: 5 4 }
  .s0 { stroke: #1769d2 } .s1 { stroke: #c2570c } .s2 { stroke: #7a4bc2 } .s3 { stroke: #6b7785 }
  .s4 { stroke: #2f8f6b } .f4 { fill: #2f8f6b }
  .f0 { fill: #1769d2 } .f1 { fill: #c2570c } .f2 { fill: #7a4bc2 } .f3 { fill: #6b7785 }
"""
DARK = """
  text { fill: #e4e9ee } .page { fill: #12171d } .quiet { fill: #98a4b0 }
  .ours { fill: #5aa2ff } .also { fill: #2f5688 } .peer { fill: #4a5561 }
  .whisker { stroke: #e4e9ee } .axis { stroke: #3d4752 } .grid { stroke: #242c35 }
  .s0 { stroke: #5aa2ff } .s1 { stroke: #f0934e } .s2 { stroke: #b795f0 } .s3 { stroke: #98a4b0 }
  .s4 { stroke: #5cc79c } .f4 { fill: #5cc79c }
  .f0 { fill: #5aa2ff } .f1 { fill: #f0934e } .f2 { fill: #b795f0 } .f3 { fill: #98a4b0 }
"""

# The line styles of the programs. Style 3 is the machine's own gain.
STYLES = "0124"

CLASSES = [
    ("uncached", "Every receipt validated on its own", "ours decodes every field; peers decode nothing of the payload",
     "uncached", "validation only"),
    ("cached", "The certificates are already known", "ours and peers read every attribute, and make no strings",
     "cached-decoded", "with all strings"),
]


class Canvas:
    def __init__(self):
        self.parts = []

    def text(self, x, y, words, style="", anchor="start"):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="{style}" text-anchor="{anchor}">{escape(words)}</text>'
        )

    def line(self, x1, y1, x2, y2, style):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>')

    def bar(self, x, y, width, style, description):
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{BAR}" rx="2" class="{style}">'
            f"<title>{escape(description)}</title></rect>"
        )

    def path(self, points, style):
        steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{steps}" class="{style}"/>')

    def dot(self, x, y, style, description):
        title = f"<title>{escape(description)}</title>"
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" class="{style}">{title}</circle>')


def short_name(results, name):
    """Returns a program's name and version, short enough to fit beside a bar."""
    if name in OUR_NAMES:
        return OUR_NAMES[name]
    one = results.raw["programs"].get(name, {})
    known = {**PEERS, **END_TO_END_PEERS}.get(name, name)
    version = str(one.get("version", "")).split(" ")[0]
    peer = one.get("peer", known)
    mark = " †" if one.get("differences") else ""
    return f"{peer if not version or version in peer else f'{peer} {version}'}{mark}"


def fit(words, width):
    """Cuts text to a width, assuming about six units for a letter."""
    most = int(width / 6.1)
    return words if len(words) <= most else words[: most - 1] + "…"


def charted_sources(results):
    """Returns the receipts of the repository, and the corpus whose number of chains is nearest to eight."""
    receipts = [name for name in results.sources("receipt") if not results.raw["inputs"][name]["genuine"]]
    corpora = sorted(results.sources("corpus"), key=lambda name: abs(results.raw["inputs"][name]["chains"] - 8))
    return receipts + corpora[:1]


def draw_class(canvas, results, x, top, entry):
    """Draws the column of bars of one class and returns the y coordinate of its end."""
    name, title, note, second, second_name = entry
    canvas.text(x, top, title, "heading")
    canvas.text(x, top + 17, note, "quiet small")
    y = top + 30
    room = COLUMN - LABEL - VALUE
    for source in charted_sources(results):
        bars = [
            ("swift-app-receipt", results.figure(OURS, HEADLINE[name], source), "ours"),
            (f"… {second_name}", results.figure(OURS, second, source), "also"),
            (OUR_NAMES[OURS_PORTABLE], results.figure(OURS_PORTABLE, HEADLINE[name], source), "also"),
        ]
        bars += [(short_name(results, peer), one, "peer") for peer, one in results.peers(name, source)]
        bars = sorted((bar for bar in bars if bar[1]), key=lambda bar: bar[1].median)
        if not bars:
            continue
        y += 22
        canvas.text(x, y, results.label(source), "group")
        y += 8
        most = bars[0][1].operations_per_second
        for label, figure, style in bars:
            rate = figure.operations_per_second
            description = f"{label}: {rate:,.0f} receipts a second, 95 % interval {1e9 / figure.high:,.0f} to " \
                          f"{1e9 / figure.low:,.0f}"
            canvas.text(x + LABEL - 8, y + BAR - 3, fit(label, LABEL - 8), "strong" if style == "ours" else "", "end")
            canvas.bar(x + LABEL, y, rate / most * room, style, description)
            middle = y + BAR / 2
            ends = [x + LABEL + min(1e9 / bound / most, 1.06) * room for bound in (figure.high, figure.low)]
            canvas.line(ends[0], middle, ends[1], middle, "whisker")
            beside = max(x + LABEL + rate / most * room, ends[1]) + 6
            canvas.text(beside, y + BAR - 3, f"{rate:,.0f}", "strong" if style == "ours" else "quiet")
            y += PITCH
    return y


def nice_ceiling(value):
    """Returns the smallest round number that is at least `value`, for the end of an axis."""
    power = 1
    while power * 10 <= value:
        power *= 10
    return next(step * power for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * power >= value)


def axis(canvas, x, top, most):
    """Draws the axis and four grid lines, each with its number."""
    for step in range(5):
        y = top + PLOT * (1 - step / 4)
        canvas.line(x + 48, y, x + COLUMN - NAMES, y, "grid" if step else "axis")
        canvas.text(x + 42, y + 4, f"{most * step / 4:,.0f}", "quiet small", "end")


def spread(labels, least=15):
    """Moves the labels at the ends of lines apart, so that they do not overlap."""
    placed = []
    for y, *rest in sorted(labels):
        y = max(y, placed[-1][0] + least) if placed else y
        placed.append((y, *rest))
    return placed


def draw_sizes(canvas, results, x, top, figures, order):
    """Draws the throughput of whole programs by the size of the corpus."""
    canvas.text(x, top, "Whole programs: receipts a second by size of corpus", "heading")
    canvas.text(x, top + 17, "from base64 lines to results, including process start; dashed: one job", "quiet small")
    top += 34
    sizes = sorted({receipts for _, receipts, _ in figures})
    most = nice_ceiling(max(receipts / one["seconds"] for (_, receipts, _), one in figures.items()))
    axis(canvas, x, top, most)
    left, right = x + 62, x + COLUMN - NAMES - 8
    place = {size: left + (right - left) * index / max(1, len(sizes) - 1) for index, size in enumerate(sizes)}
    for size in sizes:
        canvas.text(place[size], top + PLOT + 17, f"{size:,}", "quiet small", "middle")
    canvas.text((left + right) / 2, top + PLOT + 33, "receipts", "quiet small", "middle")
    labels = []
    for index, program in enumerate(order):
        for jobs in sorted({number for name, _, number in figures if name == program}):
            points = []
            for size in sizes:
                one = figures.get((program, size, jobs))
                if one:
                    rate = size / one["seconds"]
                    points.append((place[size], top + PLOT * (1 - rate / most)))
                    label = f"{short_name(results, program)}, {jobs} jobs, {size:,} receipts: {rate:,.0f} a second"
                    canvas.dot(*points[-1], f"f{STYLES[index % 4]}", label)
            if points:
                canvas.path(points, f"line s{STYLES[index % 4]}{' one' if jobs == 1 else ''}")
                name = f"{short_name(results, program)}, {jobs}"
                labels.append((points[-1][1] + 4, points[-1][0] + 9, fit(name, NAMES), f"f{STYLES[index % 4]} small"))
    for y, at, words, style in spread(labels):
        canvas.text(at, y, words, style)
    return top + PLOT + 44


def draw_jobs(canvas, results, x, top, figures, order):
    """Draws the throughput of whole programs by the number of jobs, on the largest corpus."""
    largest = max(receipts for _, receipts, _ in figures)
    canvas.text(x, top, "Whole programs: receipts a second by number of jobs", "heading")
    canvas.text(x, top + 17, f"{largest:,} receipts; grey: the machine's own gain from several processes",
                "quiet small")
    top += 34
    rates = {
        (program, jobs): largest / one["seconds"]
        for (program, receipts, jobs), one in figures.items() if receipts == largest
    }
    gains = control_speedup(results.raw)
    alone = rates.get((COMMAND, 1))
    shadow = {jobs: alone * gain for jobs, gain in gains.items()} if alone else {}
    most = nice_ceiling(max([*rates.values(), *shadow.values()]))
    axis(canvas, x, top, most)
    numbers = sorted({jobs for _, jobs in rates})
    left, right = x + 62, x + COLUMN - NAMES - 8
    place = {jobs: left + (right - left) * index / max(1, len(numbers) - 1) for index, jobs in enumerate(numbers)}
    for jobs in numbers:
        canvas.text(place[jobs], top + PLOT + 17, str(jobs), "quiet small", "middle")
    canvas.text((left + right) / 2, top + PLOT + 33, "jobs", "quiet small", "middle")
    labels = []
    drawn = [(short_name(results, program), STYLES[index % 4], {jobs: rates[key, jobs] for key, jobs in rates
                                                             if key == program})
             for index, program in enumerate(order)]
    drawn.append(("arithmetic only", "3 one", {jobs: shadow[jobs] for jobs in numbers if jobs in shadow}))
    for name, style, values in drawn:
        points = [(place[jobs], top + PLOT * (1 - rate / most)) for jobs, rate in sorted(values.items())]
        if not points:
            continue
        canvas.path(points, f"line s{style}")
        for point, (jobs, rate) in zip(points, sorted(values.items())):
            canvas.dot(*point, f"f{style[0]}", f"{name}, {jobs} jobs: {rate:,.0f} a second")
        labels.append((points[-1][1] + 4, points[-1][0] + 9, fit(name, NAMES), f"f{style[0]} small"))
    for y, at, words, style in spread(labels):
        canvas.text(at, y, words, style)
    return top + PLOT + 44


def draw(raw):
    """Returns the chart of a file of results as SVG."""
    results = Results(raw)
    if not results.sources("receipt"):
        raise Trouble("these results contain no receipts to draw")
    canvas = Canvas()
    second = MARGIN + COLUMN + GAP
    canvas.text(MARGIN, 44, "Receipts validated per second", "title")
    facts, settings = raw["machine"], raw["settings"]
    canvas.text(
        MARGIN, 64,
        f"one processor, more is better · {facts['processor']}{', virtual' if facts['virtual'] else ''}, "
        f"{facts['kernel'].split('-')[0]} · commit {raw['commit'][:10]}{' with changes' if raw['dirty'] else ''}, "
        f"{raw['started'][:10]} · medians of {settings['rounds']} × {settings['samples']} samples, lines: 95 %",
        "quiet small",
    )
    if raw["short"]:
        canvas.text(MARGIN, 82, "A short run: its figures mean nothing.", "strong")
    top = 112 if raw["short"] else 100
    bottom = max(draw_class(canvas, results, x, top, entry) for x, entry in zip((MARGIN, second), CLASSES))
    figures = end_to_end_figures(raw) if raw["end_to_end"] else {}
    if figures:
        order = sorted({program for program, _, _ in figures}, key=lambda name: (name != COMMAND, name))
        top = bottom + 34
        bottom = draw_sizes(canvas, results, MARGIN, top, figures, order)
        draw_jobs(canvas, results, second, top, figures, order)
    absent = [
        short_name(results, name) for name, one in raw["programs"].items() if one["status"] in ("missing", "failed")
    ]
    differing = [
        short_name(results, name) for name, one in raw["programs"].items()
        if one["status"] in ("disagrees", "not timed")
    ]
    notes = [f"Not available here: {' · '.join(absent)}"] if absent else []
    notes += [f"Receipts not timed, because some verdicts differ: {' · '.join(differing)}"] if differing else []
    for note in notes:
        bottom += 20
        canvas.text(MARGIN, bottom, fit(note, WIDTH), "quiet small")
    height = bottom + 28
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" role="img" aria-label="Receipts validated per second, by program">\n'
        f"<style>{STYLE}@media (prefers-color-scheme: dark) {{{DARK}}}\n</style>\n"
        f'<rect width="100%" height="100%" class="page"/>\n' + "\n".join(canvas.parts) + "\n</svg>\n"
    )


def write(raw, path):
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(draw(raw))
    except OSError as error:
        raise Trouble(f"cannot write {path}: {error.strerror}") from error
