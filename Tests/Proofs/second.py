"""Asks a second solver whenever z3 finds that conditions contradict each other, which is what every proof relies on.

bitwuzla answers questions about bit vectors and arrays of them, and cvc5 those about integers and real numbers.
"""

import multiprocessing
import re

import bitwuzla
import cvc5
import z3

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
            text = solver.to_smt2()
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


def by_bitwuzla(text):
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, PATIENCE)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    try:
        parser.parse(text.replace("(check-sat)", ""), True, False)
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
