"""Asks a second solver whenever z3 finds that conditions contradict each other, which is what every proof relies on.

bitwuzla answers questions about bit vectors and arrays of them, and cvc5 those about integers and real numbers. z3 has
operations of its own: divisions whose divisor is not zero, and conditions that a product does not overflow. They are
written with common ones.
"""

import multiprocessing
import re

import bitwuzla
import cvc5
import z3


def product(extend, one, other):
    """The product with twice as many bits, and the number of bits of a factor."""
    bits = one.size()
    return extend(bits, one) * extend(bits, other), bits


def fits(one, other):
    value, bits = product(z3.ZeroExt, one, other)
    return z3.Extract(2 * bits - 1, bits, value) == 0


def is_not_above(one, other):
    value, bits = product(z3.SignExt, one, other)
    return value < 1 << (bits - 1)


def is_not_below(one, other):
    value, bits = product(z3.SignExt, one, other)
    return value >= -1 << (bits - 1)


#: What z3's conditions on products mean.
OVERFLOWS = {"bvumul_noovfl": fits, "bvsmul_noovfl": is_not_above, "bvsmul_noudfl": is_not_below}
#: How long one question may take, in milliseconds.
PATIENCE = 60_000
#: The questions so far in all processes: all, those that the second solver does not decide in time or cannot read, and
#: those in which it finds no contradiction.
asked, undecided, opposed = (multiprocessing.Value("l") for _ in range(3))


def install():
    """From now on, each contradiction that z3 finds is a question to the second solver."""
    check = z3.Solver.check

    def check_twice(solver):
        verdict = check(solver)
        if verdict == z3.unsat:
            add(asked)
            text = common(solver).to_smt2()
            answer = (by_cvc5 if re.search(r"\b(Int|Real)\b", text) else by_bitwuzla)(text)
            if answer == "sat":
                add(opposed)
                print(f"OPPOSED by the second solver:\n{text}", flush=True)
            elif answer != "unsat":
                add(undecided)
        return verdict

    z3.Solver.check = check_twice


def add(count):
    with count.get_lock():
        count.value += 1


def common(solver):
    """A solver with the same conditions, in which products that do not overflow have twice as many bits."""
    result, left, seen, pairs = z3.Solver(), list(solver.assertions()), set(), []
    while left:
        term = left.pop()
        if term.get_id() not in seen:
            seen.add(term.get_id())
            left += term.children()
            if term.decl().name() in OVERFLOWS:
                pairs.append((term, OVERFLOWS[term.decl().name()](*term.children())))
    result.add(*[z3.substitute(one, *pairs) if pairs else one for one in solver.assertions()])
    return result


def by_bitwuzla(text):
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, PATIENCE)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    text = re.sub(r"\b(bv[us](?:div|rem))_i\b", r"\1", text.replace("(check-sat)", ""))
    try:
        parser.parse(text, True, False)
    except bitwuzla.BitwuzlaException as error:
        return str(error)
    return str(parser.bitwuzla().check_sat())


def by_cvc5(text):
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(PATIENCE))
    solver.setLogic("ALL")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    symbols, answer = parser.getSymbolManager(), ""
    try:
        while not (command := parser.nextCommand()).isNull():
            answer = command.invoke(solver, symbols).strip() or answer
    except RuntimeError as error:
        return str(error)
    return answer
