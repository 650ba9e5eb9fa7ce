"""What a run found, as tables: by class, with the fastest peer of each; then stages, primitives, whole programs."""
from . import inputs
from .figures import Figure, median, ratio_interval
from .programs import COMMAND, COMMAND_PORTABLE, END_TO_END_PEERS, OURS, OURS_PORTABLE, OWN, PEERS
from .tables import Table, microseconds, rate, times

# What of ours and of the peers does the same work, class by class: the measure to put in a headline comes first.
CLASSES = {
    "uncached": (
        "Class (i), uncached: every receipt judged by itself",
        {"uncached-decoded": "every field decoded", "uncached": "validation only"},
        "Peers keep their trust store and decode nothing of the payload.",
    ),
    "cached": (
        "Class (ii), cached: the certificates are known already",
        {
            "cached-walk": "every attribute read",
            "cached-decoded": "every field decoded to strings",
            "cached": "validation only, purchases not read",
        },
        "Peers do by hand what a remembered path does, and read the type, the version and the value of every attribute.",
    ),
}
HEADLINE = {"uncached": "uncached-decoded", "cached": "cached-walk"}


class Results:
    """A run's series as figures, made when they are asked for."""

    def __init__(self, results):
        self.raw = results
        self.series = {(one["program"], one["measure"], one["input"]): one for one in results["series"]}
        self.figures = {}

    def figure(self, program, measure, source):
        key = (program, measure, source)
        if key not in self.series:
            return None
        if key not in self.figures:
            self.figures[key] = Figure(self.series[key])
        return self.figures[key]

    def label(self, source):
        return self.raw["inputs"][source]["label"]

    def sources(self, *kinds):
        return [name for name, source in self.raw["inputs"].items() if source["kind"] in kinds]

    def peers(self, measure, source):
        """The peers that have this figure, the fastest first."""
        found = [(name, self.figure(name, measure, source)) for name in self.raw["programs"] if name not in OWN]
        return sorted(((name, one) for name, one in found if one), key=lambda pair: pair[1].median)


OUR_NAMES = {
    OURS: "swift-app-receipt",
    OURS_PORTABLE: "swift-app-receipt, portable",
    COMMAND: "swift-app-receipt",
    COMMAND_PORTABLE: "swift-app-receipt, portable",
}


def shown_name(results, name):
    """A program's name and version."""
    if name in OUR_NAMES:
        return OUR_NAMES[name]
    word = results.raw["programs"].get(name, {})
    known = {**PEERS, **END_TO_END_PEERS}.get(name, name)
    mark = " †" if word.get("differences") else ""
    return f"{word['peer']} {word['version']}{mark}" if word.get("version") and word.get("peer") else known


def report(raw):
    """All blocks, in the order of reading."""
    results = Results(raw)
    blocks = [about(raw), *headlines(results)]
    for name in CLASSES:
        blocks += [class_table(results, name, source) for source in results.sources("receipt", "corpus")]
    blocks += [memory_table(results), never_hits(results)]
    blocks += [stage_table(results, source) for source in results.sources("receipt")]
    blocks += [primitive_table(results, measure) for measure in inputs.DIGESTS]
    blocks += [signature_table(results)]
    if raw["end_to_end"]:
        blocks += [end_to_end_table(results), control_table(raw)]
    blocks += [program_list(raw), failure_list(raw)]
    blocks.append("Not counted:\n" + "\n".join(f"- {line}" for line in raw["not_counted"]))
    return [block for block in blocks if (block if isinstance(block, str) else block.rows)]


def about(raw):
    facts, settings = raw["machine"], raw["settings"]
    rounds = [one for series in raw["series"] for one in series["rounds"]]
    shares = [one["steal"] for one in rounds if one["steal"] is not None]
    steal = f"{max(shares):.1%} at most, {sum(shares) / len(shares):.2%} on average" if shares else "not known"
    pinned = "not pinned" if settings["cpu"] is None else f"pinned to processor {settings['cpu']}"
    lines = [
        f"{facts['processor']} ({', '.join(facts['instructions']) or facts['architecture']})"
        f"{', virtual' if facts['virtual'] else ''}, {facts['processors']} processors, governor {facts['governor']}, "
        f"last level cache {facts['last_level_cache_bytes'] / 2**20:.0f} MiB",
        f"{facts['kernel']}, {raw['compiler']}, {raw['flags']}",
        f"commit {raw['commit'][:12]}{' with changes' if raw['dirty'] else ''}, {raw['started']}, "
        f"{raw['seconds'] / 60:.0f} min",
        f"{count_of(settings['rounds'], 'round')} of {settings['samples']} samples, {pinned}, in random order; "
        f"time stolen in one measurement: {steal}",
    ]
    if rounds:
        seconds = sum(one["seconds"] for one in rounds)
        lines.append(
            f"load {facts['load_at_start'][0]:.1f} when it began; the programs had a processor for "
            f"{sum(one['processor_seconds'] for one in rounds) / seconds:.0%} of their time, and lost it to others "
            f"{sum(one['involuntary_switches'] for one in rounds) / seconds:,.1f} times a second"
        )
    if raw["short"]:
        lines.append("A short run: it shows that everything works, and its figures mean nothing.")
    return "\n".join(lines)


def count_of(number, thing):
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def headlines(results):
    """For each class and input, ours against the fastest peer of that class."""
    tables = []
    for name, (title, ours, _) in CLASSES.items():
        measure = HEADLINE[name]
        table = Table(
            f"{title}; ours: {ours[measure]}",
            ["receipts", "ours µs", "fastest peer", "peer µs", "peer / ours", "95 % interval"],
            note="The last two: how many times as long the peer takes.",
        )
        for source in results.sources("receipt", "corpus"):
            peers = results.peers(name, source)
            for program, kind in ((OURS, ""), (OURS_PORTABLE, ", portable")):
                own = results.figure(program, measure, source)
                if own and peers:
                    table.add(comparison(results, results.label(source) + kind, own, *peers[0]))
        tables.append(table)
    table = Table(
        "Class (iii), our cached path against the peers' uncached: mostly the cache",
        ["receipts", "ours µs", "fastest peer", "peer µs", "peer / ours", "95 % interval"],
        note="Different work, and so never a headline; ours with every attribute read.",
    )
    for source in results.sources("receipt", "corpus"):
        own = results.figure(OURS, "cached-walk", source)
        peers = results.peers("uncached", source)
        if own and peers:
            table.add(comparison(results, results.label(source), own, *peers[0]))
    return [*tables, table]


def comparison(results, label, own, peer, other):
    low, high = ratio_interval(other.rounds, own.rounds)
    return [
        label, microseconds(own.median), shown_name(results, peer), microseconds(other.median),
        times(other.median / own.median), f"{times(low)} to {times(high)}",
    ]


FIGURES = ["µs median", "95 % interval", "p90", "p99", "least", "per s", "MB/s", "allocations"]


def figure_cells(figure, reads_all=True):
    """The cells below FIGURES.

    `reads_all` says whether the work grows with the bytes, without which bytes per second mean nothing.
    """
    allocations = "" if figure.allocations is None else f"{figure.allocations:,.1f}".removesuffix(".0")
    return [
        microseconds(figure.median), f"{microseconds(figure.low)} to {microseconds(figure.high)}",
        microseconds(figure.p90), microseconds(figure.p99), microseconds(figure.minimum),
        rate(figure.operations_per_second), f"{figure.bytes_per_second / 1e6:,.0f}" if reads_all else "", allocations,
    ]


def class_table(results, name, source):
    title, ours, note = CLASSES[name]
    table = Table(f"{title}: {results.label(source)}", ["program", *FIGURES], note=note)
    rows = [
        (results.figure(program, measure, source), f"{OUR_NAMES[program]}, {depth}", True)
        for program in OWN
        for measure, depth in ours.items()
    ]
    rows += [(figure, shown_name(results, peer), False) for peer, figure in results.peers(name, source)]
    for figure, label, is_ours in sorted((row for row in rows if row[0]), key=lambda row: row[0].median):
        table.add([label, *figure_cells(figure)], is_ours)
    return table


def memory_table(results):
    table = Table(
        "Ours, cached against uncached: mostly the cache",
        ["receipts", "uncached µs", "cached µs", "uncached / cached"],
        note="Validation only.",
    )
    for source in results.sources("receipt", "corpus"):
        without, kept = (results.figure(OURS, measure, source) for measure in ("uncached", "cached"))
        if without and kept:
            table.add([
                results.label(source), microseconds(without.median), microseconds(kept.median),
                times(without.median / kept.median),
            ])
    return table


def never_hits(results):
    table = Table(
        "Ours, a cache that never hits", ["receipts", *FIGURES],
        note="What a cache costs that is searched, and filled, in vain; validation only.",
    )
    for source in results.sources("corpus"):
        figure = results.figure(OURS, "never-hits", source)
        if figure:
            distinct = results.series[(OURS, "never-hits", source)]["distinct"]
            table.add([f"{results.label(source)}, {distinct:,} of them, never hits", *figure_cells(figure)], True)
            table.add(["the same corpus, uncached", *figure_cells(results.figure(OURS, "uncached", source))]
                      if results.figure(OURS, "uncached", source) else [""] * 9)
    return table


def stage_table(results, source):
    table = Table(
        f"Stages of ours: {results.label(source)}", ["stage", "bytes", *FIGURES],
        note="Bytes are those that the stage is about. The path holds two signatures and decodes three certificates.",
    )
    for measure in inputs.STAGES:
        figure = results.figure(OURS, measure, source)
        if figure:
            cells = figure_cells(figure, measure in inputs.READING_STAGES)
            table.add([measure, f"{figure.series['bytes']:,.0f}", *cells])
    for measure in ("cached", "uncached", "uncached-decoded"):
        figure = results.figure(OURS, measure, source)
        if figure:
            table.add([f"whole, {measure}", f"{figure.series['bytes']:,.0f}", *figure_cells(figure)], True)
    return table


def primitive_table(results, measure):
    """MB/s by program and size."""
    sources = results.sources("digest")
    function = f"{measure.upper()[:3]}-{measure[3:].removesuffix('-two')}"
    what = f"{function} of two messages at once, MB/s of both" if measure.endswith("-two") else f"{function}, MB/s"
    table = Table(f"{what} (median)", ["program", *map(results.label, sources)])
    for name in results.raw["programs"]:
        figures = [results.figure(name, measure, source) for source in sources]
        if any(figures):
            cells = [f"{one.bytes_per_second / 1e6:,.0f}" if one else "" for one in figures]
            table.add([shown_name(results, name), *cells], name in OWN)
    return table


def signature_table(results):
    sources = results.sources("rsa")
    table = Table(
        "RSASSA-PKCS1-v1_5 verification, e = 65537, µs (median)", ["program", *map(results.label, sources)]
    )
    for name in results.raw["programs"]:
        figures = [results.figure(name, source, source) for source in sources]
        if any(figures):
            cells = [
                microseconds(one.median / inputs.SIGNATURES[source]) if one else "" for source, one in zip(sources, figures)
            ]
            table.add([shown_name(results, name), *cells], name in OWN)
    return table


def end_to_end_figures(raw):
    """The median run for each program, number of receipts and number of jobs."""
    groups = {}
    for run in raw["end_to_end"]["runs"]:
        groups.setdefault((run["program"], run["receipts"], run["jobs"]), []).append(run)
    return {
        key: {
            "seconds": median([run["seconds"] for run in runs]),
            "processor_seconds": median([run["user_seconds"] + run["system_seconds"] for run in runs]),
            "peak_bytes": max(run["peak_bytes"] for run in runs),
            "bytes": runs[0]["bytes"],
        }
        for key, runs in sorted(groups.items(), key=lambda pair: (pair[0][1], pair[0][2], pair[0][0]))
    }


def end_to_end_table(results):
    table = Table(
        "Whole programs: base64 lines to results in a file",
        ["program", "receipts", "jobs", "seconds", "receipts/s", "MB/s", "processor s", "peak MiB", "against 1 job"],
        note="Medians of whole runs, starting included, files in the page cache; peak memory is the largest.",
    )
    figures = end_to_end_figures(results.raw)
    for (program, receipts, jobs), one in figures.items():
        alone = figures.get((program, receipts, 1))
        table.add([
            shown_name(results, program), f"{receipts:,}", jobs, f"{one['seconds']:.3f}",
            rate(receipts / one["seconds"]), f"{one['bytes'] / one['seconds'] / 1e6:,.0f}",
            f"{one['processor_seconds']:.2f}", f"{one['peak_bytes'] / 2**20:,.0f}",
            times(alone["seconds"] / one["seconds"]) if alone else "",
        ], program in OUR_NAMES)
    return table


def control_speedup(raw):
    """What the machine gives several processes at once over one, by their number."""
    groups = {}
    for one in raw["end_to_end"]["control"]:
        groups.setdefault(one["processes"], []).append(sum(one["operations_per_second"]))
    alone = median(groups[1]) if 1 in groups else None
    return {number: median(rates) / alone for number, rates in sorted(groups.items())} if alone else {}


def control_table(raw):
    table = Table(
        "Control: processes of arithmetic at once", ["processes", "together, against one alone"],
        note="The machine's own gain: several jobs can gain no more.",
    )
    for number, gain in control_speedup(raw).items():
        table.add([number, times(gain)])
    return table


def program_list(raw):
    """Every program that was asked for, with what became of it."""
    lines = ["Programs (†: judges some receipts otherwise than is known):"]
    for name, word in raw["programs"].items():
        if word["status"] in ("missing", "failed", "not timed"):
            known = {**PEERS, **END_TO_END_PEERS}.get(name, name)
            lines.append(f"- {known}: {word['status']}, not measured: {word['reason']}")
            continue
        standing = {"timed": "timed", "disagrees": "timed with primitives only"}.get(word["status"], word["status"])
        if word.get("differences"):
            standing += f"; judges {len(word['differences'])} of {word['checked']} receipts otherwise: "
            standing += "; ".join(word["differences"][:4])
        elif word.get("checked"):
            standing += f"; judged {word['checked']} receipts as is known"
        lines.append(f"- {word.get('peer', name)} {word.get('version', '')}: {standing}; {word.get('built', '')}")
    return "\n".join(lines)


def failure_list(raw):
    """What was begun and did not succeed; nothing where all did."""
    lines = [f"- {one['program']}, {one['measure']}, {one['input']}: {one['reason']}" for one in raw["failures"]]
    return "\n".join(["Not measured, because it failed:", *lines]) if lines else ""
