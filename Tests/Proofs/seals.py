"""Shows on the code that only a valid signature makes a verified value.

seals.tsv lists all initialisers of the types of verified values. Either the first parameter is a verified value
itself, or the following holds in the LLVM IR that swiftc emits for the shipped sources without optimisation, so that no
call is inlined:

- No other module can name the initialiser: its linkage is internal. No table of functions holds it.
- Only the functions in seals.tsv mention it.
- In such a function, the call is reached only over the edge that the table names: `returned`, behind a call of the
  guard that threw nothing; `true`, over the true side of a branch on a Bool in memory, an element of the guard's
  result; `takes`, anywhere, because the first parameter of the function, or of the initialiser if the table names no
  function, is a verified value.

Trusted are swiftc's type checker, because the modules have no unsafe code that could make a value from its bytes
(.ci/rules), and that the Bool of `true` is the verdict on the same signature, which the source shows in one line.
"""

import re

import ir
from build import HERE, demangled, emit


def reached(function, without):
    """The blocks that can be reached from the entry without some edges."""
    seen, work = {function.entry}, [function.entry]
    while work:
        block = work.pop()
        last = function.blocks[block][-1]
        for target in last.blocks if last.opcode in ("br", "switch") else ():
            if (block, target) not in without and target not in seen:
                seen.add(target)
                work.append(target)
    return seen


def calls(function, symbols):
    """The blocks that call one of the functions."""
    return {name for name, block in function.blocks.items()
            if any(i.opcode == "call" and i.detail in symbols for i in block)}


def edges(function, edge, guards):
    """The edges that are taken only if the guard allows what follows."""
    made = {i.name: i for block in function.blocks.values() for i in block if i.name}
    guarding = calls(function, guards)
    # A verdict is used after the call that gave it, unless a closure got it from elsewhere.
    before = reached(function, {(b, t) for b in guarding for t in function.blocks[b][-1].blocks}) if guarding else ()
    found = []
    for name, block in function.blocks.items():
        last = block[-1]
        if last.opcode != "br" or len(last.blocks) != 2:
            continue
        test = made.get(last.operands[0].name)
        if edge == "true" and test and test.opcode == "load" and test.type == "i1" and name not in before:
            found.append((name, last.blocks[0]))
        elif edge == "returned" and name in guarding:
            # The error is compared with nil after the call, and nothing else is called between.
            later = block[max(n for n, i in enumerate(block) if i.opcode == "call" and i.detail in guards) + 1:]
            if test and test.detail == "ne" and test.operands[1].number == 0 and made[test.operands[0].name] in later:
                found.append((name, last.blocks[1]))
    return found


def takes(symbol, sealed):
    """Whether the first parameter of a function has a type."""
    full = demangled([symbol], full=True)[symbol]
    return bool(re.search(rf"\w+(?: in \w+\))?\((?:\w+: )?{re.escape(sealed)}\b", full))


def faults(maker, rows, symbols, names, outside, path):
    """What is wrong with an initialiser and the functions that call it."""
    wrong, rest = [], [row for row in rows if row[2]]
    wrong += [f"its first parameter is no {row[4]}" for row in rows if not row[2] and not takes(maker, row[4])]
    if len(rest) == len(rows):
        if not symbols[maker].startswith("define internal "):
            wrong.append("another module can call it")
        if f'@"{maker}"' in outside:
            wrong.append("a table of functions holds it")
    if not rest:
        return wrong
    mentions = [s for s, p in symbols.items() if s != maker and f'@"{maker}"' in p]
    users = {names[s]: s for s in mentions}
    callers = {row[2] for row in rest}
    if len(users) < len(mentions):
        wrong.append("two functions of one name mention it")
    wrong += [f"{user} mentions it, and is not in seals.tsv" for user in users.keys() - callers]
    wrong += [f"{user} stands in seals.tsv, and does not mention it" for user in callers - users.keys()]
    for _, _, caller, edge, guard in (row for row in rest if row[2] in users):
        if edge == "takes":
            if not takes(users[caller], guard):
                wrong.append(f"the first parameter of {caller} is no {guard}")
            continue
        guards = {s for s, n in names.items() if n == guard}
        (function,) = ir.read(path, {users[caller]}).values()
        making = calls(function, {maker})
        if not making or not any(making.isdisjoint(reached(function, {one})) for one in edges(function, edge, guards)):
            wrong.append(f"{caller} makes it without {guard}")
    return wrong


def check(module, folder, replaced=None):
    """Yields each initialiser of a module's verified values, and what is wrong with it."""
    table = [row for row in rows() if row[0] == module]
    path = emit(module, folder, replaced, optimised=False)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    parts = re.split(r"\n(?=define )", text)
    outside = [parts[0]] + [p.split("\n}\n", 1)[1] for p in parts[1:]]
    outside = "\n".join(line for one in outside for line in one.split("\n")
                        if not re.match(r"@llvm\.(compiler\.)?used|!|declare", line))
    symbols = {re.search(r'@"?([^"(]+)"?\(', p)[1]: p for p in parts[1:]}
    names = demangled(list(symbols) + re.findall(r'^declare [^@]*@"?([^"(\n]+)"?\(', text, re.M))
    types = {row[1].split(".")[0] for row in table}
    makers = {n: s for s, n in names.items() if s in symbols and re.match(r"\w+(<.*>)?\.(__allocating_)?init[(<]", n)}
    listed = {row[1] for row in table}
    for name in sorted(listed | {n for n in makers if re.match(r"\w+", n)[0] in types}):
        if name not in listed:
            yield name, ["is not in seals.tsv"]
        elif name not in makers:
            yield name, ["no such function"]
        else:
            yield name, faults(makers[name], [row for row in table if row[1] == name], symbols, names, outside, path)


def rows():
    """Module, initialiser, calling function, edge and guard."""
    with open(f"{HERE}/seals.tsv", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
