"""Builds the tables of a run: the classes with their fastest peers, then stages, primitives and whole programs."""
from . import inputs, tokens
from .figures import Figure, median, ratio_interval
from .programs import COMMAND, COMMAND_PORTABLE, END_TO_END_PEERS, OURS, OURS_PORTABLE, OWN, PEERS
from .tables import Table, microseconds, rate, times

# For each class of comparable work: its title, our measures and their depth (the headline measure first), and a note.
CLASSES = {
    "uncached": (
        "Class (i), uncached: every receipt validated on its own",
        {"uncached-decoded": "every field decoded", "uncached": "validation only"},
        "Peers keep their trust store and decode nothing of the payload.",
    ),
    "cached": (
        "Class (ii), cached: the certificates are already known",
        {
            "cached-walk": "every attribute read",
            "cached-decoded": "every field decoded to strings",
            "cached": "validation only, purchases not read",
        },
        "Peers do by hand what the cache does, and read the type, the version and the value of every attribute.",
    ),
}
HEADLINE = {"uncached": "uncached-decoded", "cached": "cached-walk"}


class Results:
    """The results of a run, whose figures are computed on demand."""

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
        """Returns the peers that have this figure, fastest first, each with its figure."""
        found = [(name, self.figure(name, measure, source)) for name in self.raw["programs"] if name not in OWN]
        return sorted(((name, one) for name, one in found if one), key=lambda pair: pair[1].median)


OUR_NAMES = {
    OURS: "swift-app-receipt",
    OURS_PORTABLE: "swift-app-receipt, portable",
    COMMAND: "swift-app-receipt",
    COMMAND_PORTABLE: "swift-app-receipt, portable",
}


def shown_name(results, name):
    """Returns a program's name and version as the tables show them."""
    if name in OUR_NAMES:
        return OUR_NAMES[name]
    one = results.raw["programs"].get(name, {})
    known = {**PEERS, **END_TO_END_PEERS}.get(name, name)
    mark = " †" if one.get("differences") else ""
    return f"{one['peer']} {one['version']}{mark}" if one.get("version") and one.get("peer") else known


def report(raw):
    """Returns all blocks to print, in order."""
    results = Results(raw)
    blocks = [about(raw), *headlines(results)]
    for name in CLASSES:
        blocks += [class_table(results, name, source) for source in results.sources("receipt", "corpus")]
    blocks += [memory_table(results), never_hits(results), token_headlines(results)]
    blocks += [
        token_table(results, measure, source) for measure in tokens.MEASURES for source in results.sources("token")
    ]
    blocks += [stage_table(results, source) for source in results.sources("receipt")]
    blocks += [primitive_table(results, measure) for measure in inputs.DIGESTS]
    blocks += [
        signature_table(results, "rsa", "RSASSA-PKCS1-v1_5 verification, e = 65537, µs (median)"),
        signature_table(results, "ecdsa", "ECDSA verification by a kept key, µs (median)"),
    ]
    if raw["end_to_end"]:
        blocks += [end_to_end_table(results), control_table(raw)]
    blocks += [program_list(raw), failure_list(raw)]
    blocks.append("Not counted:\n" + "\n".join(f"- {line}" for line in raw["not_counted"]))
    return [block for block in blocks if (block if isinstance(block, str) else block.rows)]


# The share of the processor's time that others may take from a run whose figures count.
MOST_STOLEN = 0.1


def stolen_share(raw):
    """Returns the share of the time of all measurements that the hypervisor gave to other machines."""
    rounds = [one for series in raw["series"] for one in series["rounds"]]
    rounds += raw["end_to_end"]["runs"] if raw["end_to_end"] else []
    known = [one for one in rounds if one["steal"] is not None]
    seconds = sum(one["seconds"] for one in known)
    return sum(one["steal"] * one["seconds"] for one in known) / seconds if seconds else None


def too_much_stolen(share):
    return f"NOT A RESULT: other machines took {share:.0%} of the time, more than {MOST_STOLEN:.0%}; run again later"


def about(raw):
    facts, settings = raw["machine"], raw["settings"]
    rounds = [one for series in raw["series"] for one in series["rounds"]]
    shares = [one["steal"] for one in rounds if one["steal"] is not None]
    steal = f"at most {max(shares):.1%}, {sum(shares) / len(shares):.2%} on average" if shares else "unknown"
    pinned = "not pinned" if settings["cpu"] is None else f"pinned to processor {settings['cpu']}"
    lines = [
        f"{facts['processor']} ({', '.join(facts['instructions']) or facts['architecture']})"
        f"{', virtual' if facts['virtual'] else ''}, {facts['processors']} processors, governor {facts['governor']}, "
        f"last level cache {facts['last_level_cache_bytes'] / 2**20:.0f} MiB",
        f"{facts['kernel']}, {raw['compiler']}, {raw['flags']}",
        f"commit {raw['commit'][:12]}{' with changes' if raw['dirty'] else ''}, {raw['started']}, "
        f"{raw['seconds'] / 60:.0f} min",
        f"{count_of(settings['rounds'], 'round')} of {settings['samples']} samples, {pinned}, in random order; "
        f"stolen time in one measurement: {steal}",
    ]
    if rounds:
        seconds = sum(one["seconds"] for one in rounds)
        lines.append(
            f"load {facts['load_at_start'][0]:.1f} at the start; the programs had a processor for "
            f"{sum(one['processor_seconds'] for one in rounds) / seconds:.0%} of their time and lost it to other "
            f"processes {sum(one['involuntary_switches'] for one in rounds) / seconds:,.1f} times a second"
        )
    if raw.get("without"):
        lines.append(f"Without these instructions, ours and the peers': {', '.join(raw['without'])}.")
    stolen = stolen_share(raw)
    if stolen is not None and stolen > MOST_STOLEN:
        lines.append(too_much_stolen(stolen))
    if raw["short"]:
        lines.append("A short run: it shows that everything works, but its figures mean nothing.")
    return "\n".join(lines)


def count_of(number, thing):
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def headlines(results):
    """Returns a table for each class that compares ours with the fastest peer on each input."""
    tables = []
    for name, (title, ours, _) in CLASSES.items():
        measure = HEADLINE[name]
        table = Table(
            f"{title}; ours: {ours[measure]}",
            COMPARED,
            note="The ratio and its interval say how many times as long the peer takes.",
        )
        for source in results.sources("receipt", "corpus"):
            peers = results.peers(name, source)
            for program, kind in ((OURS, ""), (OURS_PORTABLE, ", portable")):
                own = results.figure(program, measure, source)
                if own and peers:
                    table.add(comparison(results, results.label(source) + kind, own, *peers[0]))
        tables.append(table)
    table = Table(
        "Class (iii), ours cached against the peers uncached: mostly the cache",
        COMPARED,
        note="The work differs, so this is never a headline. Ours reads every attribute.",
    )
    for source in results.sources("receipt", "corpus"):
        own = results.figure(OURS, "cached-walk", source)
        peers = results.peers("uncached", source)
        if own and peers:
            table.add(comparison(results, results.label(source), own, *peers[0]))
    return [*tables, table]


COMPARED = ["receipts", "ours µs", "fastest peer", "peer µs", "peer / ours", "95 % interval", "at the 5th percentile"]


def comparison(results, label, own, peer, other):
    """Returns the cells below the headers COMPARED.

    The last one is the ratio of the 5th percentiles. A neighbour who halves the clock for a while changes medians, and
    not these.
    """
    low, high = ratio_interval(other.rounds, own.rounds)
    return [
        label, microseconds(own.median), shown_name(results, peer), microseconds(other.median),
        times(other.median / own.median), f"{times(low)} to {times(high)}", times(other.p5 / own.p5),
    ]


FIGURES = ["µs median", "95 % interval", "p90", "p99", "minimum", "per s", "MB/s", "allocations"]


def figure_cells(figure, reads_all=True):
    """Returns the cells below the headers FIGURES.

    `reads_all` is true if the work grows with the number of bytes. Otherwise bytes per second mean nothing and are
    left out.
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


TOKEN_MEASURES = {
    "token-uncached": "nothing known", "token-cached": "the signer is known", "token-batch": "the same, 64 together",
}


def token_headlines(results):
    """Returns the table that compares ours with the fastest peer on each input of tokens, and on single signatures."""
    table = Table(
        "Tokens of StoreKit 2; ours: every field decoded", [*COMPARED, "at the minimum"],
        note="The ratio and its interval say how many times as long the peer takes. Peers decode nothing but the date. "
             "A verification of P-256 or P-384 has a kept key and a given digest.",
    )
    keys = [(measure, source) for measure in TOKEN_MEASURES for source in results.sources("token")]
    keys += [(source, source) for source in results.sources("ecdsa")]
    for measure, source in keys:
        # Peers judge one token after the other.
        peers = results.peers("token-cached" if measure == "token-batch" else measure, source)
        label = f"{results.label(source)}, {TOKEN_MEASURES[measure]}" if measure != source else results.label(source)
        for program, kind in ((OURS, ""), (OURS_PORTABLE, ", portable")):
            own = results.figure(program, measure, source)
            if own and peers:
                cells = comparison(results, label + kind, own, *peers[0])
                table.add([*cells, times(peers[0][1].minimum / own.minimum)])
    return table


def token_table(results, measure, source):
    table = Table(f"Tokens, {TOKEN_MEASURES[measure]}: {results.label(source)}", ["program", *FIGURES])
    rows = [(results.figure(program, measure, source), OUR_NAMES[program], True) for program in OWN]
    rows += [(figure, shown_name(results, peer), False) for peer, figure in results.peers(measure, source)]
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
        note="The cost of a cache that is searched and filled but never hits. Validation only.",
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
        note="Bytes: the size of the stage's input. The stage path decodes three certificates and verifies two "
             "signatures.",
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
    """Returns a table of MB/s by program and message size."""
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


def signature_table(results, kind, title):
    sources = results.sources(kind)
    table = Table(title, ["program", *map(results.label, sources)])
    for name in results.raw["programs"]:
        figures = [results.figure(name, source, source) for source in sources]
        if any(figures):
            cells = [
                microseconds(one.median / inputs.SIGNATURES.get(source, 1)) if one else ""
                for source, one in zip(sources, figures)
            ]
            table.add([shown_name(results, name), *cells], name in OWN)
    return table


def end_to_end_figures(raw):
    """Returns the median figures for each program, kind and number of records, and number of jobs."""
    groups = {}
    for run in raw["end_to_end"]["runs"]:
        kind = run.get("kind", "receipts")
        groups.setdefault((run["program"], kind, run["receipts"], run["jobs"]), []).append(run)
    return {
        key: {
            "seconds": median([run["seconds"] for run in runs]),
            "processor_seconds": median([run["user_seconds"] + run["system_seconds"] for run in runs]),
            "peak_bytes": max(run["peak_bytes"] for run in runs),
            "bytes": runs[0]["bytes"],
        }
        for key, runs in sorted(groups.items(), key=lambda pair: (*pair[0][1:], pair[0][0]))
    }


def end_to_end_table(results):
    table = Table(
        "Whole programs: from lines of receipts or tokens to a file of results",
        ["program", "records", "jobs", "seconds", "records/s", "MB/s", "processor s", "peak MiB", "against 1 job"],
        note="Medians of whole runs, including process start, with the files in the page cache. "
             "Peak memory is the largest of all runs.",
    )
    figures = end_to_end_figures(results.raw)
    for (program, kind, receipts, jobs), one in figures.items():
        alone = figures.get((program, kind, receipts, 1))
        table.add([
            shown_name(results, program), f"{receipts:,} {kind}", jobs, f"{one['seconds']:.3f}",
            rate(receipts / one["seconds"]), f"{one['bytes'] / one['seconds'] / 1e6:,.0f}",
            f"{one['processor_seconds']:.2f}", f"{one['peak_bytes'] / 2**20:,.0f}",
            times(alone["seconds"] / one["seconds"]) if alone else "",
        ], program in OUR_NAMES)
    return table


def control_speedup(raw):
    """Returns, for each number of processes, their total rate divided by the rate of one process alone."""
    groups = {}
    for one in raw["end_to_end"]["control"]:
        groups.setdefault(one["processes"], []).append(sum(one["operations_per_second"]))
    alone = median(groups[1]) if 1 in groups else None
    return {number: median(rates) / alone for number, rates in sorted(groups.items())} if alone else {}


def control_table(raw):
    table = Table(
        "Control: arithmetic in several processes at once", ["processes", "total rate / rate of one"],
        note="This is the machine's own gain. Several jobs cannot gain more.",
    )
    for number, gain in control_speedup(raw).items():
        table.add([number, times(gain)])
    return table


def program_list(raw):
    """Returns the list of all requested programs with the status of each."""
    lines = ["Programs (†: some verdicts are wrong):"]
    for name, one in raw["programs"].items():
        if one["status"] in ("missing", "failed", "not timed"):
            known = {**PEERS, **END_TO_END_PEERS}.get(name, name)
            lines.append(f"- {known}: {one['status']}, not measured: {one['reason']}")
            continue
        status = {"timed": "timed", "disagrees": "timed with primitives only"}.get(one["status"], one["status"])
        if one.get("differences"):
            status += f"; {len(one['differences'])} of {one['checked']} verdicts are wrong: "
            status += "; ".join(one["differences"][:4])
        elif one.get("checked"):
            status += f"; all {one['checked']} verdicts are correct"
        lines.append(f"- {one.get('peer', name)} {one.get('version', '')}: {status}; {one.get('built', '')}")
    return "\n".join(lines)


def failure_list(raw):
    """Returns the list of measurements that failed, or an empty string if all succeeded."""
    lines = [f"- {one['program']}, {one['measure']}, {one['input']}: {one['reason']}" for one in raw["failures"]]
    return "\n".join(["Not measured, because it failed:", *lines]) if lines else ""
