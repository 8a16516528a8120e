"""What an edit of the heads, types or constructors of a module means for functions that it leaves as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from ..collections.block_list import common_beginning
from ..types import Type
from .function_regions import numbers_at
from .function_statements import FunctionStatements
from .heads import Head
from .module_analysis import AnalysedFunction, ModuleAnalysis
from .statement_list import between
from .template_cache import TemplateCache
from .whole_function import WholeFunctionAnalysis

__all__ = ["ChangedHeads", "call_alike", "differing_types", "outdated_functions"]


class ChangedHeads:
    """Which functions are no longer called as they were."""

    def __init__(self, old: Mapping[str, Head], new: Mapping[str, Head]) -> None:
        known = old.get
        differing = {name for name, head in new.items() if known(name) is not head}
        differing |= old.keys() - new.keys()
        self.names: Final = {
            name for name in differing if name not in old or name not in new or not old[name].says_the_same(new[name])
        }
        self._any: Final = bool(differing) or list(old) != list(new)

    def __bool__(self) -> bool:
        return self._any


def differing_types(old: Mapping[str, Type], new: Mapping[str, Type]) -> set[str]:
    """The names that have other types in two mappings, or are in one alone; most types are the same objects."""
    names = old.keys() ^ new.keys()
    names.update(
        name for name, type in new.items() if (was := old.get(name)) is not type and was is not None and was != type
    )
    return names


def call_alike(old: Sequence[AnalysedFunction], new: Sequence[AnalysedFunction]) -> bool:
    """Whether there are the same functions, and each names the same others."""
    same = common_beginning(old, new)
    return len(old) == len(new) and all(
        one is other or (one.name == other.name and (one.calls is other.calls or set(one.calls) == set(other.calls)))
        for one, other in zip(islice(old, same, None), islice(new, same, None), strict=True)
    )


def outdated_functions(earlier: ModuleAnalysis, changed: frozenset[str], context: TemplateCache) -> frozenset[Head]:
    """The heads of the functions of a text that mean something else where some names of types and constructors do.

    ``context`` is that of the text in which they do; the heads that still hold are put into it.
    """
    outdated: list[Head] = []
    types = [each.types.reading.names for each in (earlier.context, context)]
    naming = sorted(earlier.states.using(set(changed), 0, len(earlier.states)))
    functions = earlier.functions
    questionable = {*numbers_at(functions, naming), *numbers_at(functions, earlier.reported)}
    for number, function in enumerate(functions):
        head, named = function.head, changed
        if head.stands_alone and number not in questionable and isinstance(function, FunctionStatements):
            continue
        if head.type_parameters:
            # What has the name of one is that everywhere in its function, unless a constructor has it, too.
            own = {variable.name for variable in head.type_parameters}
            named = changed - {name for name in own if not any(name in names.constructors for names in types)}
        if head.depends_on(named):
            outdated.append(head)
            continue
        context.head_cache.keep(head)
        if isinstance(function, WholeFunctionAnalysis):
            if function.depends_on(named):
                outdated.append(head)
        elif number in questionable and _mentions(
            earlier, function, named, between(naming, function.start, function.end)
        ):
            outdated.append(head)
    return frozenset(outdated)


def _mentions(
    analysis: ModuleAnalysis, function: FunctionStatements, changed: frozenset[str], among: Sequence[int]
) -> bool:
    """Whether a statement of a function names one of some types and constructors, or something that is not known.

    ``among`` are those that may name one of them.
    """
    for index in among:
        state = analysis.states[index]
        if state is not None and not changed.isdisjoint(state.depends_on):
            return True
    return analysis.states.may_be_explained_by(changed, function.start, function.end)
