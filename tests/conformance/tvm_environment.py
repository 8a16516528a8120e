"""Why a record cannot be met, where the reason lies in what surrounds a pass in TVM and not in the pass.

What holds for a class of records is a rule here, so that it holds for records that have not been looked at, too; what
holds for one record alone, such as an operator that its test registers, is in ``exceptions.json``. Both are asked only
about records that fail.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from relay_lsp import ir, passes

from .judges.passes import missing_pass, run
from .records import Record

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_REFERENCE_TYPE = re.compile(r"(?::|->)\s[^={;]*\bref\(")
_REFUSALS = ("errors", "cross2_errors")
_MATCH_AS_VALUE = re.compile(r"=\s*match\??\s*\(")


@dataclass(frozen=True)
class Rule:
    """A reason, and the records that it keeps from being met.

    ``applies`` gets the record and what is wrong with our answer to it.
    """

    kinds: tuple[str, ...]
    reason: str
    applies: Callable[[Record, str], bool]


def reason(kind: str, record: Record, problem: str) -> str | None:
    """Why this record, which fails, cannot be met; ``None`` where it should be, as where its pass does not exist."""
    if "pass" in record and missing_pass(record):
        return None
    return next((rule.reason for rule in RULES if kind in rule.kinds and rule.applies(record, problem)), None)


def readable_by_tvm(text: str) -> bool:
    """Whether TVM's parser reads what its printer wrote.

    It does not read the type of a reference (``ParseType`` in ``src/relay/parser/parser.cc`` has no case for the word
    ``ref``), nor a ``match`` that is the value of a variable (``ParseBindingExpr`` reads the value by
    ``ParseExprBinOp``, which has none for ``match``).
    """
    bare = _COMMENT.sub("", text.partition("\n#[metadata]")[0])
    return not (_REFERENCE_TYPE.search(bare) or _MATCH_AS_VALUE.search(bare))


def _recorder_could_not_read(record: Record, problem: str) -> bool:
    if not _only_diagnostics(record):
        return False
    if not readable_by_tvm(record["before"]):
        return True
    try:
        after = ir.infer_types(run(record, ir.parse(record["before"]).module)).module
    except passes.PassError:
        return False
    return not readable_by_tvm(ir.to_text(after, show_meta_data=False))


def _only_diagnostics(record: Record) -> bool:
    """Whether the error says no more than that there were diagnostics, as those of the parser and of inference do."""
    return record["error"].startswith("DiagnosticError: DiagnosticError: one or more error diagnostics were emitted")


RULES = (
    Rule(
        _REFUSALS,
        "TVM's parser cannot read what its printer wrote, by which the recorder passed modules on: the type of a "
        "reference, or a match as the value of a variable",
        _recorder_could_not_read,
    ),
    Rule(
        ("meaning",),
        "TVM's pass drops what is written to a reference and then read, and so does ours, as its documentation says",
        lambda record, problem: record["pass"] == "ToGraphNormalForm" and "ref_write" in record["before"],
    ),
)
"""In the order in which they are asked."""
