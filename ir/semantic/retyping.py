"""Types anew the statements that are like others, where the types of what they use changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from ..inference import OPEN
from ..types import ERROR, Type
from .function_statements import Bindings
from .lowered_statement import LoweredStatement
from .typed_statement import TypedStatement

__all__ = ["Retyping"]


class Retyping:
    """Goes through statements of one function in their order, of which some depend on names that have changed.

    ``retype`` types any statement anew, puts it into ``made`` by its segment and into ``names``, and adds its name to
    the ``changed`` ones if its type is another. Most statements are like others that use values of the same types: with
    these the same is done here, with as little as can be for each. ``type_known`` gives the type of a name in the
    statement of some order, or ``None`` where only ``retype`` can tell. ``rebound`` are the names of several values.
    """

    def __init__(
        self,
        names: Bindings,
        rebound: Collection[str],
        changed: set[str],
        made: dict[int, TypedStatement],
        retype: Callable[[int, TypedStatement], None],
        type_known: Callable[[str, float], Type | None],
    ) -> None:
        self._names: Final = names
        self._rebound: Final = rebound
        self._changed: Final = changed
        self._made: Final = made
        self._retype: Final = retype
        self._type_known: Final = type_known
        self._types: Final[dict[str, Type]] = {}
        """The types of names that have the same from here on."""
        self._alike: Final[dict[LoweredStatement, tuple[list[Type], Type]]] = {}
        """The types of what a statement like this used last, which mostly come again, and its own."""

    def go_through(
        self, first: int, states: Sequence[TypedStatement | None], again: Collection[int], open: Collection[str]
    ) -> None:
        """Type anew those of the statements from segment ``first`` on that depend on a changed name.

        Those of the segments in ``again`` are typed anew in any case. ``open`` are names whose types statements tell.
        """
        changed, made, types, alike, rebound = self._changed, self._made, self._types, self._alike, self._rebound
        are_unchanged, are_known = changed.isdisjoint, frozenset(open).isdisjoint
        fresh: dict[str, TypedStatement] = {}  # not in ``names`` yet
        for index, state in enumerate(states, first):
            if state is None:
                continue
            uses, name = state.uses, state.bound
            if type(state) is TypedStatement:  # there is nothing to be said about it
                if are_unchanged(uses):
                    continue
                lowered = state.shared
                if lowered is not None and name not in rebound and are_known(uses):
                    order = state.order
                    known: list[Type] = []
                    for used in uses:
                        of_used = types.get(used)
                        if of_used is None:
                            of_used = self._type_known(used, order)
                            if of_used is None or of_used is OPEN:
                                break
                            if used not in rebound:
                                types[used] = of_used
                        known.append(of_used)
                    else:
                        before = alike.get(lowered)
                        its_type = (
                            before[1] if before is not None and before[0] == known else lowered.known_type(tuple(known))
                        )
                        if its_type is not None:
                            alike[lowered] = known, its_type
                            if its_type is ERROR:
                                its_type = state.type_comment
                            made[index] = placed = state.placed(order, its_type)
                            if name is not None:
                                fresh[name] = placed
                                types[name] = its_type
                                if its_type != state.type:
                                    changed.add(name)
                            continue
            elif are_unchanged(state.depends_on) and index not in again:
                continue
            self._names.update(fresh)
            fresh.clear()
            self._retype(index, state)
            if open:
                types.clear()  # it may have determined the types of some
            elif name is not None:
                types.pop(name, None)
        self._names.update(fresh)
