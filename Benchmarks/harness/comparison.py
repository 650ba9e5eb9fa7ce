"""Two runs compared, figure by figure, with as much certainty as their samples allow."""
from .figures import median, ratio_interval
from .report import Results, shown_name
from .tables import Table, microseconds

# A change below this is none: code that only moved in memory differs by as much.
LEAST_CHANGE = 0.02
# Of this many in each run, that all of one lie beyond all of the other is chance less than once in a hundred.
LEAST_ROUNDS = 5
# A corpus does not end where a round of it does: what is remembered then is not always the same.
LEAST_CHANGE_OF_ALLOCATIONS = {"receipt": 0, "corpus": 0.1, "digest": 0, "rsa": 0}


def verdict(old, new):
    """What can be said of a figure, and the interval of new over old in time.

    A difference is one if the interval of the ratio says so and the rounds do: a neighbour on the machine that
    is busy for one round of either is none.
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
    return "cannot be told", low, high


def allocations_moved(old, new, kind):
    if old.allocations is None or new.allocations is None:
        return False
    return abs(new.allocations - old.allocations) > LEAST_CHANGE_OF_ALLOCATIONS[kind] * old.allocations


def warnings(old, new):
    """Why the two may not be comparable at all."""
    found = []
    for name, word in [("processor", "processors"), ("instructions", "instruction sets"), ("kernel", "kernels"),
                       ("governor", "governors")]:
        if old["machine"][name] != new["machine"][name]:
            found.append(f"The {word} differ: {old['machine'][name]} and {new['machine'][name]}.")
    if old["compiler"] != new["compiler"]:
        found.append(f"The compilers differ: {old['compiler']} and {new['compiler']}.")
    if old["short"] or new["short"]:
        found.append("A short run is no measurement.")
    return found


def compare(old_raw, new_raw, everything):
    """Blocks: what differs, and how many do not."""
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
            counts["not comparable, the inputs differ"] = counts.get("not comparable, the inputs differ", 0) + 1
            continue
        before, after = old.figure(*key), new.figure(*key)
        said, low, high = verdict(before, after)
        moved = allocations_moved(before, after, old_raw["inputs"][source]["kind"])
        if moved:
            said += f"; allocations {before.allocations} to {after.allocations}"
            counts["other allocations"] = counts.get("other allocations", 0) + 1
        name = said.split(";")[0]
        counts[name] = counts.get(name, 0) + 1
        if everything or moved or name in ("faster", "slower"):
            table.add([
                shown_name(new, program), measure, new.label(source), microseconds(before.median),
                microseconds(after.median), f"{after.median / before.median - 1:+.1%}",
                f"{low - 1:+.1%} to {high - 1:+.1%}", said,
            ])
    only_new = sum(key not in old.series for key in new.series)
    if only_new:
        counts["only in the new run"] = only_new
    commits = " and ".join(
        f"{raw['commit'][:12]}{' with changes' if raw['dirty'] else ''} of {raw['started']}"
        for raw in (old_raw, new_raw)
    )
    summary = ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "nothing in common"
    return [f"{commits}", *warnings(old_raw, new_raw), table, f"Figures: {summary}."]
