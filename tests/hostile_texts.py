"""Texts that hurt: each is small, and one thing in it repeats, nests or is long."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["HOSTILE_TEXTS"]

_VERSION = '#[version = "0.0.5"]\n'


def _body(body: str, parameter: str = "%x: float32") -> str:
    return f"{_VERSION}def @main({parameter}) {{\n  {body}\n}}\n"


def _metadata(section: str) -> str:
    return f"{_body('add(%x, meta[relay.Constant][0])')}\n#[metadata]\n{section}\n"


def _doubled(count: int, parameter: str = "%x: float32", value: str = "(%M, %M)") -> str:
    values = (value.replace("M", str(number - 1)) for number in range(1, count))
    lines = "".join(f"  %{number} = {value};\n" for number, value in enumerate(values, 1))
    return f"{_VERSION}def @main({parameter}) {{\n  %0 = (%x, %x);\n{lines}  %{count - 1}\n}}\n"


def _lets(count: int) -> str:
    opened = "".join(f"let %a{number} = (" for number in range(count))
    closed = "".join(f"; %a{number})" if number else "; %a0" for number in reversed(range(count)))
    return _body(f"{opened}%x{closed}")


def _arms(count: int) -> str:
    constructors = ", ".join(f"C{number}" for number in range(count))
    arms = "".join(f"    C{number} => {number},\n" for number in range(count))
    return f"{_VERSION}type L {{ {constructors} }}\ndef @main(%x: L[]) {{\n  match (%x) {{\n{arms}  }}\n}}\n"


def _parameters(count: int) -> str:
    one = "%p{0}: Tensor[(3, 4), float32] /* ty=Tensor[(3, 4), float32] span=/root/a.py:{0}:3 */"
    return f"{_VERSION}def @main({', '.join(one.format(number) for number in range(count))}) {{\n  %p0\n}}\n"


def _patterns(patterns: str, count: int) -> str:
    return (
        f"{_VERSION}type T {{ A({'T, ' * count}) }}\ndef @main(%x: T) {{\n  match (%x) {{ A({patterns}) => 1 }}\n}}\n"
    )


def _fields(count: int) -> str:
    return _patterns("_, " * count * 4 + "_", count * 4 + 1)


def _of_a_number(call: str, number: int) -> str:
    return _body(call.format(number), f"%x: Tensor[({number}), float32]")


def _statements(statement: str, before: str = "") -> Callable[[int], str]:
    """As many statements of a kind, in a function that stands behind other definitions."""
    parameters = "%x: Tensor[(3, 4), float32], %y: Tensor[(7, 9), float32]"

    def made(count: int) -> str:
        lines = "\n  ".join(f"{statement.replace('N', str(number))};" for number in range(count))
        return f"{_VERSION}{before}def @main({parameters}) {{\n  {lines} %x\n}}\n"

    return made


def _functions(function: str, share: int = 1) -> Callable[[int], str]:
    """As many functions, or that share of them, with a number in each (``N``), that of the one before it in ``Q``."""

    def made(count: int) -> str:
        numbers = range(count // share)
        made = [function.replace("N", str(number)).replace("Q", str(max(number - 1, 0))) for number in numbers]
        return _VERSION + "".join(made)

    return made


HOSTILE_TEXTS: dict[str, Callable[[int], str]] = {
    "types that double": lambda count: _doubled(count // 10),
    "types that double and are not known": lambda count: _doubled(count // 5, "%x"),
    "functions over types that are not known": lambda count: _doubled(count // 5, "%x", "fn (%q) { (%M, %q) }"),
    "branches": lambda count: _body("if (%c) { " * (count // 4) + "%c" + " } else { %c }" * (count // 4), "%c: bool"),
    "values of lets": lambda count: _lets(count // 2),
    "lets whose value is a let each": _statements("let %aN = let %bN = 1f"),
    "lets whose value is a let each, in braces": lambda count: _body(
        "if (True) {\n" + "".join(f"let %a{n} = let %b{n} = 1f;\n" for n in range(count)) + "%x\n} else {\n%x\n}"
    ),
    "calls that are being typed in the value of a let": lambda count: _body(
        "let %a = let %b = 1f;\n" + "".join(f"add(%x\nlet %b{n} = 1f;\n" for n in range(count)) + "%x;\n%a"
    ),
    "calls that are being typed in the value of a let in braces": lambda count: _body(
        "if (True) {\nlet %a = let %b = 1f;\n"
        + "".join(f"add(%x\nlet %b{n} = 1f;\n" for n in range(count))
        + "%x;\n%a\n} else {\n%x\n}"
    ),
    "lets that are values": lambda count: _body(
        "".join(f"let %a{number} = " for number in range(count // 2)) + "1;\n" + "%x;\n" * (count // 2) + "%x"
    ),
    "statements without semicolons in a value": lambda count: _body(
        "let %a = let %b = %x;\n" + "  let %c = add(%x, %b)\n" * count + "  %b;\n%a"
    ),
    "references to metadata": lambda count: _body(f"add(%x, {'meta[' * count * 8})"),
    "braces": lambda count: _VERSION + "{" * count * 4,
    "braces on lines": lambda count: _VERSION + "{\n" * count * 4,
    "semicolons": lambda count: _body(";" * count * 2),
    "arms of a match": _arms,
    "parameters": _parameters,
    "digits": lambda count: _body(f"add(%x, {'1' * count * 10})"),
    "digits of a name": lambda count: _body("%" + "1" * count * 10),
    "digits of a dimension": lambda count: _body("%x", f"%x: Tensor[({'1' * count * 10}), float32]"),
    "digits of a dtype": lambda count: _body("%x", f"%x: float{'1' * count * 10}"),
    "digits of an index": lambda count: _body(f"(%x, %x).{'1' * count * 10}"),
    "digits of a position": lambda count: _body(f"%x /* span=a:{'1' * count * 10}:1 */"),
    "digits in metadata": lambda count: _metadata('{"root": ' + "1" * count * 10 + ', "nodes": []}'),
    "powers": lambda count: _body("add(%x, ²); meta[relay.Constant][²]; %² = %x"),
    "percent signs": lambda count: _body("%" * count * 10),
    "dashes": lambda count: _body("-" * count * 10),
    "directives": lambda count: _VERSION + "#[" * count * 10,
    "open comments": lambda count: _VERSION + "/*\n" * count * 2,
    "comments in comments on a line": lambda count: _body("/* a /* b */ c */ " * count + "%x"),
    "statements on a line": lambda count: _body(
        "".join(f"%{number} = nn.relu(%x) /* ty=float32 span=a:{number}:1 */; " for number in range(count)) + "%x"
    ),
    "comments in comments": lambda count: _VERSION + "/*" * count * 4 + "*/" * count * 4,
    "quotation marks": lambda count: _body('"' * count * 10),
    "tuple types": lambda count: _body("%x", "%x: " + "(" * count + "float32" + ",)" * count),
    "reference types": lambda count: _body("%x", "%x: " + "ref(" * count + "float32" + ")" * count),
    "function types": lambda count: _body("%x", "%x: " + "fn () -> " * count + "float32"),
    "parentheses": lambda count: _body("(" * count * 2 + "%x" + ")" * count * 2),
    "calls": lambda count: _body("nn.relu(" * count * 2 + "%x" + ")" * count * 2),
    "functions": lambda count: _body("fn () { " * (count // 4) + "%x" + " }" * (count // 4)),
    "lists of JSON": lambda count: _metadata("[" * count * 10),
    "half a surrogate pair": lambda count: _metadata(
        '{"root": 1, "nodes": [{"type_key": ""}, {"type_key": "runtime.String", "repr_str": "\\ud800"}]}'
    ),
    "attributes that there are not": _statements('add(%x, a="b")'),
    "operands that do not fit": _statements("%N = add(%x, %y)"),
    "operators that there are not": _statements("%N = nn.rellu(%x)"),
    "commas too many": _statements("%N = add(%x,, %y)"),
    "branches that differ": _statements("%N = if (%x) { %x } else { %y }"),
    "arguments of another type": _statements('%N = @f("a")', "def @f(%q: int32) { %q }\n"),
    "arms that are missing": _statements("%N = match (B) { A => 1 }", "type L { A, B }\n"),
    "arms that are idle": _statements("%N = match (B) { A => 1, B => 2, A => 3 }", "type L { A, B }\n"),
    "functions that there are not": _statements("%N = @fN(%x)"),
    "constants": _statements("%N = add(%x, Nf)"),
    "constants of another dtype": _statements("%N = add(%x, Ni64)"),
    "constants of another type": _statements("let %aN: int32 = Nf"),
    "constants in branches": _statements("%N = if (True) { Nf } else { Nf }"),
    "attributes that are unknown": _statements("%N = nn.softmax(%x, axissN=1)"),
    "constructors that are unknown": _statements("%N = match (B) { AN => 1 }", "type L { A, B }\n"),
    "types that are unknown": _statements("%N = fn (%q: TN) { %q }"),
    "inner values that nothing uses": _statements("%N = (let %a = 1f; Nf)"),
    "braces around a value": _statements("%N = { Nf }"),
    "two values": _statements("%N = N N"),
    "type arguments of an unknown operator": _statements("%N = relu<N>(%x)"),
    "letters behind a number": _statements("%N = add(%x, Nq7)"),
    "indices out of range": _statements("%N = (%x, %y).N"),
    "axes out of range": _statements("%N = nn.softmax(%x, axis=N)"),
    "shapes of as many other elements": _statements("%N = reshape(%x, newshape=[N, 4])"),
    "brackets that are missing": _statements("%N = reshape(%x, newshape=[N, 4)"),
    "values of other types than declared": _statements("let %aN: Tensor[(N, 4), float32] = %x"),
    "type comments that are wrong": _statements("%N = nn.relu(%x) /* ty=Tensor[(N, 4), float32] */"),
    "type comments that are true": _statements(
        '%N = zeros(shape=[N, 4], dtype="float32") /* ty=Tensor[(N, 4), float32] */'
    ),
    "attributes of functions": _statements("%N = fn (%q: int32, aN=1) { %q }"),
    "widths of padding": _statements("%N = nn.pad(%x, 0f, pad_width=[[0, N], [0, 0]])"),
    "strings": _statements('%N = "sN"'),
    "functions of another type each": _statements("%N = fn (%q: Tensor[(N, 4), float32]) { %q }"),
    "function types that are declared": _statements("let %aN: fn (int32) -> Tensor[(N), int8] = %x"),
    "shapes of zeros": _statements('%N = zeros(shape=[N, 4], dtype="float32")'),
    "references without metadata": _statements("%N = add(%x, meta[relay.Constant][N])"),
    "dtypes that are unknown": _statements('%N = cast(%x, dtype="sN")'),
    "comments that are open": _statements("%N = add(%x, /* %y)"),
    "strings that are open": _statements('%N = add(%x, "n)'),
    "semicolons that are missing": lambda count: _body("".join(f"%{n} = nn.relu(%x)\n  " for n in range(count)) + "%x"),
    "parentheses and semicolons that are missing": lambda count: _body(
        "".join(f"%{n} = nn.relu((%x)\n  " for n in range(count)) + "%x"
    ),
    "misspelled operators": _statements("%N = nn.relluN(%x)"),
    "misspelled variables": _statements("%N = nn.relu(%xN)"),
    "bindings of one name": _statements("let %a = nn.relu(%x)"),
    "keywords of types": lambda count: _VERSION + "type " * count * 4,
    "types of one name": lambda count: _VERSION + "type T { A }\n" * count,
    "else without if": lambda count: _body(" else { %x }" * count),
    "if without an end": lambda count: _body("if (%c) { " * count, "%c: bool"),
    "keywords of statements": lambda count: _body("def fn let if else match type extern free_var ref " * count),
    "control characters": lambda count: _body("\b\x1b[31m" * count * 2),
    "arguments": lambda count: _body(f"add({'%x, ' * count * 4}%x)"),
    "fields of a constructor": _fields,
    "names in a pattern": lambda count: _patterns("%q, " * count + "%q", count + 1),
    "long names": lambda count: _body(
        "".join(f"let %{'a' * count}{n} = %{'a' * count}b{n};\n" for n in range(100)) + "%x"
    ),
    "attributes with colons": lambda count: _body("nn.relu(%x" + ", axis: 1" * count + ")"),
    "fields in brackets": lambda count: _body("(" + "%x[1], " * count + "%x)"),
    "names bound without a sign": lambda count: _body("".join(f"x{n} = %x;\n" for n in range(count)) + "%x"),
    "a long string": lambda count: _body(f'nn.conv2d(%x, %x, data_layout="{"N" * count * 50}")'),
    "parts of a tensor": lambda count: _of_a_number("split(%x, indices_or_sections={})", count * 10_000),
    "dimensions that are inserted": lambda count: _of_a_number(
        "expand_dims(%x, axis=0, num_newaxis={})", count * 10_000
    ),
    "dimensions that a vector gives": lambda count: _body(
        "dyn.reshape(%x, %s)", f"%x: float32, %s: Tensor[({count * 1_000_000}), int64]"
    ),
    "tensors stacked on themselves": lambda count: _body(
        "%0 = stack((%x, %x), axis=0);\n  "
        + "".join(f"%{n + 1} = stack((%{n}, %{n}), axis=0);\n  " for n in range(count // 4))
        + "%0"
    ),
    "sound functions": _functions("def @fN(%x: int32) {\n  %x\n}\n"),
    "functions with type parameters": _functions("def @fN[A](%x: A) {\n  %x\n}\n"),
    "functions with attributes": _functions("def @fN(%x: int32, Primitive=1) {\n  %x\n}\n"),
    "functions with an unknown name": _functions("def @fN(%x: int32) {\n  %y\n}\n"),
    "functions of one name": _functions("def @f(%x: int32) {\n  %x\n}\n"),
    "functions without bodies": _functions("def @fN(%x: int32)\n"),
    "functions between types": _functions("type TN { AN }\ndef @fN(%x: TN) {\n  AN\n}\n", 2),
    "parameters without types": _functions("def @fN(%x) {\n  %x\n}\n"),
    "broken heads": _functions("def @fN(%x: int32 {\n  %x\n}\n"),
    "functions that call the one before": _functions("def @fN(%x: int32) -> int32 {\n  @fQ(%x)\n}\n"),
    "broken heads that call the one before": _functions("def @fN(%x: int32 {\n  @fQ(%x)\n}\n"),
    "graph variables of others": _functions("def @fN(%x: int32) {\n  %N = add(%x, %x);\n  %Q\n}\n"),
    "graph variables of others behind broken heads": _functions("def @fN(%x: int32 {\n  %N = add(%x, %x);\n  %Q\n}\n"),
    "calls of functions without results": _functions("def @fN(%x: int32) {\n  @fQ(%x)\n}\n"),
    "null characters": lambda count: _VERSION + "def @m" + "\0" * count,
}
"""By what there is much of: the text for a size; at 1000, about what was seen to take seconds or to fail."""
