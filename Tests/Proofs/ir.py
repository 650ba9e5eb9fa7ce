"""Reads the LLVM IR that swiftc emits: modules of functions, functions of blocks, blocks of instructions.

llvmlite reads the text. What it does not offer, flags and predicates, is read from the text of the instruction.
"""

import re
from dataclasses import dataclass, field

import llvmlite.binding as llvm


@dataclass
class Operand:
    """A register or argument (`name`), an integer (`number`), or another constant (`constant`)."""

    type: str
    name: str = None
    number: int = None
    constant: str = None


@dataclass
class Instruction:
    opcode: str
    type: str
    name: str
    operands: list
    text: str
    #: br and switch: the names of the blocks, of br the one for true first; phi: the blocks of the operands.
    blocks: list = field(default_factory=list)
    flags: tuple = ()
    #: icmp: the predicate; call: the function's name, or % and the register of its address; getelementptr: the type
    #: that the index counts; switch: the numbers; extractvalue and insertvalue: the indices.
    detail: object = None


@dataclass
class Function:
    name: str
    parameters: list
    blocks: dict

    @property
    def entry(self):
        return next(iter(self.blocks))

    def traps(self):
        """The blocks that call llvm.trap."""
        return {name for name, block in self.blocks.items() if any(i.detail == "llvm.trap" for i in block)}


FLAGS = {"nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw"}


def parts(text):
    """The parts of a text between commas, outside brackets and quotes."""
    found, depth, part, quoted = [], 0, "", False
    for character in text:
        quoted ^= character == '"'
        if not quoted:
            depth += (character in "{[<(") - (character in "}]>)")
        if character == "," and depth == 0 and not quoted:
            found.append(part.strip())
            part = ""
        else:
            part += character
    return found + ([part.strip()] if part.strip() else [])


def _operand(value):
    kind = str(value.type)
    if value.is_function or value.is_global:
        return Operand(kind, constant="@" + value.name)
    if not value.is_constant:
        return Operand(kind, name=value.name)
    body = str(value)[len(kind):].strip()
    if re.fullmatch(r"-?\d+", body):
        return Operand(kind, number=int(body))
    if body in ("true", "false", "null"):
        return Operand(kind, number=int(body == "true"))
    return Operand(kind, constant=body)


def _instruction(i):
    text = str(i).strip()
    head = text.split(" = ", 1)[-1] if text.startswith("%") else text
    head = re.sub(r"^(tail|musttail|notail) ", "", head)
    operands = list(i.operands)
    one = Instruction(i.opcode, str(i.type), i.name, [], text)
    one.flags = tuple(word for word in head.split(" ")[1:6] if word in FLAGS)
    if i.opcode == "phi":
        one.blocks = [b.name for b in i.incoming_blocks]
    elif i.opcode == "icmp":
        one.detail = next(word for word in head.split(" ")[1:] if word not in FLAGS)
    elif i.opcode == "call":
        called = operands.pop()
        name = re.search(r"@(?:\"([^\"]+)\"|([\w.$]+))\(", head)
        one.detail = "asm" if " asm " in head else (name[1] or name[2]) if name else "%" + called.name
    elif i.opcode in ("extractvalue", "insertvalue"):
        one.detail = [int(n) for n in re.findall(r", (\d+)(?=$|,)", head)]
    elif i.opcode == "getelementptr":
        one.detail = parts(re.sub(r"^getelementptr (inbounds |nuw |nusw )*", "", head))[0]
    elif i.opcode == "switch":
        one.detail = [int(n) for n in re.findall(r"i\d+ (-?\d+), label", head)]
    for operand in operands:
        if str(operand.type) == "label":
            one.blocks.append(operand.name)
        elif i.opcode != "switch" or not one.operands:
            one.operands.append(_operand(operand))
    if i.opcode == "br":
        one.blocks.reverse()
    return one


def read(path, wanted=None):
    """The functions of a module that have bodies, by name: those that are wanted, or all."""
    module = llvm.parse_assembly(open(path, encoding="utf-8").read())
    functions = {}
    for f in module.functions:
        if f.is_declaration or wanted is not None and f.name not in wanted:
            continue
        # In the text, registers and blocks without a name have numbers. Names keep the two apart.
        count = 0
        for argument in f.arguments:
            argument.name = f"a{count}"
            count += 1
        for b in f.blocks:
            b.name = b.name or f"b{count}"
            count += 1
            for i in b.instructions:
                if str(i.type) != "void":
                    i.name = i.name or f"r{count}"
                    count += 1
        functions[f.name] = Function(
            f.name,
            [Operand(str(a.type), name=a.name) for a in f.arguments],
            {b.name: [_instruction(i) for i in b.instructions] for b in f.blocks},
        )
    return functions
