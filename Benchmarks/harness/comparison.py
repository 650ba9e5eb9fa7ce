"""Compares two runs, figure by figure, and calls a change only what their samples support."""
from .figures import median, ratio_interval
from .report import Results, shown_name
from .tables import Table, microseconds

# A smaller change counts as none, because code that only moved in memory changes by as much.
LEAST_CHANGE = 0.02
# With this many rounds in each run, all rounds of one run lie beyond all of the other by chance less than once in a
# hundred.
LEAST_ROUNDS = 5
# The counted operations do not start at the first receipt of a corpus, so the contents of the cache can vary.
LEAST_CHANGE_OF_ALLOCATIONS = {"receipt": 0, "corpus": 0.1, "token": 0, "digest": 0, "rsa": 0, "ecdsa": 0}


def verdict(old, new):
    """Returns the verdict on a figure, and the interval of the ratio of the new time to the old.

    A change needs two signs: the interval of the ratio lies beyond LEAST_CHANGE, and every round of one run lies
    beyond every round of the other. So a neighbour on the machine that is busy for one round makes no change.
    """
    low, high = ratio_interval(new.rounds, old.rounds, confidence=0.99)
    before, after = ([median(samples) for samples in one.rounds] for one in (old, new))
    if min(len(before), len(after)) < LEAST_ROUNDS:
        return "too few rounds", low, high
    if high < 1 - LEAST_CHANGE and max(after) < min(before):
        return "faster", low, high
    if low > 1 + LEAST_CHANGE and min(after) > max(before):
        return "slower", low, high
    if 1 - LEAST_CHANGE <= low and high <= 1 + LEAST_CHANGE:
        return "the same", low, high
    return "undecided", low, high


def allocations_moved(old, new, kind):
    if old.allocations is None or new.allocations is None:
        return False
    return abs(new.allocations - old.allocations) > LEAST_CHANGE_OF_ALLOCATIONS[kind] * old.allocations


def warnings(old, new):
    """Returns the reasons why the two runs may not be comparable."""
    found = []
    for name, plural in [("processor", "processors"), ("instructions", "instruction sets"), ("kernel", "kernels"),
                         ("governor", "governors")]:
        if old["machine"][name] != new["machine"][name]:
            found.append(f"The {plural} differ: {old['machine'][name]} and {new['machine'][name]}.")
    if old["compiler"] != new["compiler"]:
        found.append(f"The compilers differ: {old['compiler']} and {new['compiler']}.")
    if old["short"] or new["short"]:
        found.append("The figures of a short run mean nothing.")
    return found


def compare(old_raw, new_raw, everything):
    """Returns the blocks to print: the changes, and the number of figures for each verdict."""
    old, new = Results(old_raw), Results(new_raw)
    table = Table(
        "Changes in time",
        ["program", "measure", "input", "old µs", "new µs", "change", "99 % interval", "verdict"],
        left=3,
    )
    counts = {}
    for key in old.series:
        if key not in new.series:
            counts["only in the old run"] = counts.get("only in the old run", 0) + 1
            continue
        program, measure, source = key
        if old_raw["inputs"][source].get("sha256") != new_raw["inputs"][source].get("sha256"):
            name = "not comparable because the inputs differ"
            counts[name] = counts.get(name, 0) + 1
            continue
        before, after = old.figure(*key), new.figure(*key)
        found, low, high = verdict(before, after)
        moved = allocations_moved(before, after, old_raw["inputs"][source]["kind"])
        if moved:
            found += f"; allocations {before.allocations} to {after.allocations}"
            counts["with changed allocations"] = counts.get("with changed allocations", 0) + 1
        name = found.split(";")[0]
        counts[name] = counts.get(name, 0) + 1
        if everything or moved or name in ("faster", "slower"):
            table.add([
                shown_name(new, program), measure, new.label(source), microseconds(before.median),
                microseconds(after.median), f"{after.median / before.median - 1:+.1%}",
                f"{low - 1:+.1%} to {high - 1:+.1%}", found,
            ])
    only_new = sum(key not in old.series for key in new.series)
    if only_new:
        counts["only in the new run"] = only_new
    commits = " and ".join(
        f"{raw['commit'][:12]}{' with changes' if raw['dirty'] else ''} of {raw['started']}"
        for raw in (old_raw, new_raw)
    )
    summary = ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none in common"
    return [f"{commits}", *warnings(old_raw, new_raw), table, f"Figures: {summary}."]
