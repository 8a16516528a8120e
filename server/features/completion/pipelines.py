"""What can be written in the comment that names a file's pipeline: passes, their options, the options' values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from relay_lsp.ir.ops.documentation import value_text
from relay_lsp.ir.text.text_span import TextSpan

from ..documentation.markdown import markdown
from .items import Completion, CompletionKind
from .snippets import placeholder

__all__ = ["pass_documentation", "pipeline_completions"]

_PIPELINE = re.compile(
    r"//\s*relay-lsp:(?:[^\[\]]|\[[^\[\]]*\])*?(?:(?P<open>\w+)\[(?:[^\[\]=]*=[^\[\],]*,)*\s*\w*)?\Z"
)
"""The pipeline's comment up to the cursor; ``open`` is the pass among whose options the cursor is."""

_OPTION_VALUE = re.compile(
    r"//\s*relay-lsp:.*?(?P<pass>\w+)\[(?:[^\[\]=]*=[^\[\],]*,)*\s*(?P<option>\w+)\s*=\s*[\"']?\w*\Z"
)
"""The pipeline's comment up to the cursor, where the value of an option is being written."""


def pipeline_completions(before: str, offset: int) -> Iterator[Completion]:
    """The passes that can be named after ``// relay-lsp:``, or the options of the one whose bracket is open."""
    match, value = _PIPELINE.match(before), _OPTION_VALUE.match(before)
    if match is None and value is None:
        return
    from relay_lsp.passes import registered

    word = re.search(r"\w*\Z", before)
    span = TextSpan(offset - len(word[0] if word else ""), offset)
    if match is None:
        if value is not None:
            yield from _option_values(value["pass"], value["option"], span)
        return
    if match["open"]:
        pass_class = registered().get(match["open"])
        options = pass_class.declaration().options.values() if pass_class is not None else ()
        for option in options:
            detail = option.kind if option.required else f"{option.kind}, default {value_text(option.default)}"
            yield Completion(
                option.name,
                CompletionKind.OPTION,
                span,
                detail,
                insert_text=f"{option.name}=",
                snippet=f"{option.name}={placeholder(1, value_text(option.default))}",
                subject=f"option:{match['open']}:{option.name}",
            )
        return
    for name, kind in registered().items():
        declaration = kind.declaration()
        required = [option.name for option in declaration.options.values() if option.required]
        fields = ", ".join(f"{option}=${number}" for number, option in enumerate(required, 1))
        snippet = f"{name}[{fields}]" if fields else ""
        yield Completion(name, CompletionKind.PASS, span, declaration.summary, snippet=snippet, subject=f"pass:{name}")


def _option_values(pass_name: str, name: str, span: TextSpan) -> Iterator[Completion]:
    from relay_lsp.passes import registered

    pass_class = registered().get(pass_name)
    option = pass_class.declaration().options.get(name) if pass_class is not None else None
    if option is None:
        return
    values: dict[str, None] = {} if option.required else {value_text(option.default): None}
    values.update(dict.fromkeys(map(value_text, option.choices)))
    if isinstance(option.default, bool):
        values.update({"True": None, "False": None})
    for value in values:
        detail = "default" if not option.required and value == value_text(option.default) else ""
        yield Completion(value, CompletionKind.ATTRIBUTE_VALUE, span, detail)


def pass_documentation(name: str, option: str) -> str:
    """The documentation of a pass or of its option, in Markdown; empty where it has none."""
    from relay_lsp.passes import registered

    pass_class = registered().get(name)
    if pass_class is None:
        return ""
    declaration = pass_class.declaration()
    if not option:
        return markdown(declaration.doc)
    return markdown(declaration.options[option].doc) if option in declaration.options else ""
