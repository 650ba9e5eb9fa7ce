"""Conditions on bit vectors as conditions on integers, for questions about sums and bounds.

A bit vector becomes an integer from 0 to below a power of two. A sum becomes the sum of the integers, less a multiple
of that power. A term that has no meaning here becomes any integer of its range, or any truth value. So the integers
allow all that the bit vectors allow: if no integers meet the conditions, no bit vectors do. The converse need not hold.
"""

import z3

SIGNED = {z3.Z3_OP_SLEQ: lambda x, y: x <= y, z3.Z3_OP_SLT: lambda x, y: x < y,
          z3.Z3_OP_SGEQ: lambda x, y: x >= y, z3.Z3_OP_SGT: lambda x, y: x > y}
UNSIGNED = {z3.Z3_OP_ULEQ: lambda x, y: x <= y, z3.Z3_OP_ULT: lambda x, y: x < y,
            z3.Z3_OP_UGEQ: lambda x, y: x >= y, z3.Z3_OP_UGT: lambda x, y: x > y}


class Integers:
    """A translation. `facts` has what is true of the integers that it makes."""

    def __init__(self):
        self.facts, self.known, self.kept = [], {}, []

    def remembered(self, term, make):
        found = self.known.get(term.get_id())
        if found is None:
            found = self.known[term.get_id()] = make(term)
            # An identity is unique only while its term is in use.
            self.kept.append(term)
        return found

    def below(self, limit):
        """Any integer from 0 to below a limit."""
        one = z3.FreshInt()
        self.facts += [one >= 0, one < limit]
        return one

    def modulo(self, sum, bits):
        """The remainder of an integer by a power of two."""
        one = self.below(1 << bits)
        self.facts.append(sum == one + (1 << bits) * z3.FreshInt())
        return one

    def integer(self, term):
        """The integer of a bit vector."""
        return self.remembered(term, self.make_integer)

    def make_integer(self, term):
        bits, kind, parts = term.size(), term.decl().kind(), term.children()
        if z3.is_bv_value(term):
            return z3.IntVal(term.as_long())
        if kind == z3.Z3_OP_BADD:
            return self.modulo(z3.Sum(*map(self.integer, parts)), bits)
        if kind == z3.Z3_OP_BSUB and len(parts) == 2:
            return self.modulo(self.integer(parts[0]) - self.integer(parts[1]), bits)
        if kind == z3.Z3_OP_BMUL and len(parts) == 2 and z3.is_bv_value(parts[0]):
            return self.modulo(parts[0].as_signed_long() * self.integer(parts[1]), bits)
        if kind == z3.Z3_OP_CONCAT:
            result = z3.IntVal(0)
            for part in parts:
                result = result * (1 << part.size()) + self.integer(part)
            return result
        if kind == z3.Z3_OP_ZERO_EXT:
            return self.integer(parts[0])
        if kind == z3.Z3_OP_EXTRACT:
            high, low = term.params()
            one, below = self.below(1 << bits), self.below(1 << low)
            above = self.below(1 << (parts[0].size() - high - 1))
            self.facts.append(self.integer(parts[0]) == (above * (1 << bits) + one) * (1 << low) + below)
            return one
        if kind == z3.Z3_OP_ITE:
            return z3.If(self.condition(parts[0]), self.integer(parts[1]), self.integer(parts[2]))
        return self.below(1 << bits)

    def signed(self, term):
        """The integer of a bit vector whose first bit is a sign."""
        one, bits = self.integer(term), term.size()
        return z3.If(one >= 1 << (bits - 1), one - (1 << bits), one)

    def condition(self, term):
        """The condition on integers for a condition."""
        return self.remembered(term, self.make_condition)

    def make_condition(self, term):
        kind, parts = term.decl().kind(), term.children()
        if z3.is_true(term) or z3.is_false(term):
            return term
        if kind == z3.Z3_OP_AND:
            return z3.And(*map(self.condition, parts))
        if kind == z3.Z3_OP_OR:
            return z3.Or(*map(self.condition, parts))
        if kind == z3.Z3_OP_NOT:
            return z3.Not(self.condition(parts[0]))
        if kind == z3.Z3_OP_ITE:
            return z3.If(*map(self.condition, parts))
        if kind == z3.Z3_OP_IMPLIES:
            return z3.Implies(*map(self.condition, parts))
        if kind in SIGNED:
            return SIGNED[kind](*map(self.signed, parts))
        if kind in UNSIGNED:
            return UNSIGNED[kind](*map(self.integer, parts))
        if kind in (z3.Z3_OP_EQ, z3.Z3_OP_DISTINCT) and len(parts) == 2 and not z3.is_array(parts[0]):
            one, other = map(self.integer if z3.is_bv(parts[0]) else self.condition, parts)
            return one == other if kind == z3.Z3_OP_EQ else one != other
        return z3.FreshBool()


def are_impossible(conditions, effort):
    """Whether integers show that conditions on bit vectors contradict each other. False if they do not show it."""
    integers, solver = Integers(), z3.SolverFor("QF_LIA")
    solver.set("rlimit", effort)
    solver.add(*[integers.condition(one) for one in conditions])
    solver.add(*integers.facts)
    return solver.check() == z3.unsat
