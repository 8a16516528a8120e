"""What a user can set, with its defaults. A value of the wrong kind is reported and the default stays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast

from .pass_calls import PassCallError, parse_pipeline
from .pass_contexts import ContextOptions

__all__ = ["Settings", "context_settings", "read_settings"]


def _setting(path: str, default: Any) -> Any:
    return field(default_factory=lambda: default, metadata={"path": path})


@dataclass(frozen=True)
class Settings:
    """The settings below ``relay`` in a client's configuration."""

    pipeline: tuple[str, ...] = _setting("pipeline", ("SimplifyInference", "EliminateCommonSubexpr"))
    """The passes that run in the worker on save."""
    apply_on_save: bool = _setting("applyOnSave", False)
    """Whether what they would change is changed."""
    pipelines: Mapping[str, tuple[str, ...]] = _setting("pipelines", cast("Mapping[str, tuple[str, ...]]", {}))
    """Named pipelines, to choose from."""
    opt_level: int = _setting("optLevel", 3)
    """The level of the context that passes run in."""
    required_passes: tuple[str, ...] = _setting("requiredPasses", ())
    """Passes that a pipeline runs whatever their level."""
    disabled_passes: tuple[str, ...] = _setting("disabledPasses", ())
    """Passes that a pipeline leaves out."""
    pass_config: Mapping[str, object] = _setting("passConfig", cast("Mapping[str, object]", {}))
    """The config of the context, by key."""
    instruments: tuple[str, ...] = _setting("instruments", ())
    """What watches the passes that run, such as ``PassTimingInstrument``; what it tells goes to the log."""
    pass_timeout: float = _setting("passTimeout", 30.0)
    """Seconds after which a pass is stopped; 0 for no limit."""
    memory_limit: int = _setting("worker.memoryLimit", 4096)
    """Megabytes that the worker may take; 0 for no limit."""
    inlay_types: bool = _setting("inlayHints.types", True)
    """Whether inferred types are shown beside values."""
    inlay_argument_names: bool = _setting("inlayHints.argumentNames", False)
    """Whether the names of operators' arguments are shown before them."""
    inlay_shapes: bool = _setting("inlayHints.shapes", False)
    """Whether shapes are shown behind calls inside other expressions."""
    inlay_layers: bool = _setting("inlayHints.layers", False)
    """Whether layers that no comment names are shown at the ends of lines."""
    outline_layers: bool = _setting("outline.layers", True)
    """Whether layers stand in the outline beside the values."""
    outline_by_layer: bool = _setting("outline.groupByLayer", False)
    """Whether values stand in the outline under the layers that they came from."""
    code_lens: bool = _setting("codeLens.enabled", True)
    """Whether lines above functions offer to run passes."""
    unused_values: bool = _setting("diagnostics.unusedValues", True)
    """Whether values that nothing uses are pointed out."""
    unreachable_code: bool = _setting("diagnostics.unreachable", True)
    """Whether what can never run is pointed out."""
    type_comments: bool = _setting("diagnostics.typeComments", True)
    """Whether type comments that differ from the inferred type are pointed out."""
    pass_hints: bool = _setting("diagnostics.passHints", True)
    """Whether what the pipeline would change is pointed out when a file is saved."""
    history: bool = _setting("history.enabled", True)
    """Whether what passes did is recorded."""
    history_size: int = _setting("history.maximumSize", 64)
    """Megabytes of texts that are recorded."""
    history_folder: str = _setting("history.folder", "")
    """Where; empty for the folder that the system has for such things."""
    extensions: tuple[str, ...] = _setting("extensions", ())
    """Python files (``….py``) and installed packages with the user's own passes and operators."""

    @property
    def context(self) -> ContextOptions:
        """The context that passes run in."""
        return ContextOptions(self.opt_level, self.required_passes, self.disabled_passes, self.pass_config)


def context_settings(settings: Settings) -> Mapping[str, object]:
    """The settings of the context that passes run in, as a client sends them."""
    return {
        "optLevel": settings.opt_level,
        "requiredPasses": list(settings.required_passes),
        "disabledPasses": list(settings.disabled_passes),
        "passConfig": dict(settings.pass_config),
    }


LEAST_MEMORY = 512
"""Megabytes below which the worker cannot import what it needs."""

_LARGEST_NUMBER = 1e9

_OF_CLIENTS = frozenset(
    (
        *("client", "folder", "linksSteps", "offersToRunAgain", "server", "showsErrors", "showsExplanations", "token"),
        *("trace", "trusted"),
    )
)
"""What editors give beside the settings, or keep for themselves."""

_LONGEST_NAME = 100
_LIKENESS = 0.75

_PIPELINES = {"pipeline", "pipelines"}
_CALLS = {*_PIPELINES, "instruments"}


def read_settings(given: object) -> tuple[Settings, list[str]]:
    """The settings that a client sent, nested (``{"worker": {…}}``) or flat (``"worker.memoryLimit"``), and what is
    wrong with them."""
    problems: list[str] = []
    values: dict[str, Any] = {}
    if given is None:
        return Settings(), problems
    if not isinstance(given, Mapping):
        return Settings(), ["the setting relay must be an object"]
    defaults = Settings()
    for entry in fields(Settings):
        path = entry.metadata["path"]
        value = _look_up(cast("Mapping[str, object]", given), path)
        if value is None:
            continue
        if entry.name == "pass_config":
            config = cast("Mapping[str, object]", value) if isinstance(value, Mapping) else None
            problem, converted = "must be an object" if config is None else "", config
        else:
            problem, converted = _convert(getattr(defaults, entry.name), value)
        if entry.name == "memory_limit" and isinstance(converted, int) and 0 < converted < LEAST_MEMORY:
            problem = f"must be 0, for no limit, or at least {LEAST_MEMORY}: the worker itself takes as much"
        if not problem and entry.name in _CALLS:
            problem = _pipeline_problem(converted)
        if problem:
            problems.append(f"the setting relay.{path} {problem}")
        else:
            values[entry.name] = converted
    problems.extend(_misspelled(cast("Mapping[str, object]", given)))
    return Settings(**values), problems


def _misspelled(given: Mapping[str, object]) -> Iterator[str]:
    """What is wrong with names that are no setting's and much like one; a client may have settings of its own."""
    known = {entry.metadata["path"]: entry for entry in fields(Settings)}
    groups = {path.partition(".")[0] for path in known if "." in path}
    unknown: list[str] = []
    for name, value in given.items():
        if name in known or name.partition(".")[0] in _OF_CLIENTS:
            continue
        inner = list(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else []
        names = [f"{name}.{each}" for each in inner] if inner or name in groups else [name]
        unknown += [each for each in names if each not in known]
    if unknown:
        from difflib import get_close_matches  # not loaded for settings that are right

        lower = {path.lower(): path for path in known}
        for name in unknown:
            plain = name.lower().replace("_", "").replace("-", "")[:_LONGEST_NAME]
            for match in get_close_matches(plain, lower, n=1, cutoff=_LIKENESS):
                yield f"the setting relay.{name} is not known; relay.{lower[match]} is"


def _look_up(given: Mapping[str, object], path: str) -> object:
    if path in given:
        return given[path]
    current: Any = given
    for part in path.split("."):
        current = cast("Any", current).get(part) if isinstance(current, Mapping) else None
    return current


def _convert(default: object, value: Any) -> tuple[str, Any]:
    """What is wrong with ``value`` (empty where nothing is), and the value as the setting holds it."""
    if isinstance(default, bool):
        return ("", value) if isinstance(value, bool) else ("must be true or false", None)
    if isinstance(default, (int, float)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _LARGEST_NUMBER:
            return "must be a number, 0 or above" if value != math.inf else "is too large", None
        return "", type(default)(value)
    if _has_null(value):
        return "must not have null characters in it", None
    if isinstance(default, str):
        return ("", value) if isinstance(value, str) else ("must be a string", None)
    if isinstance(default, tuple):
        if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[object]", value)):
            return "must be a list of strings", None
        return "", tuple(cast("list[str]", value))
    if not isinstance(value, Mapping):
        return "must be an object of lists of passes", None
    pipelines: dict[str, tuple[str, ...]] = {}
    for name, steps in cast("Mapping[str, object]", value).items():
        problem, converted = _convert((), steps)
        if problem:
            return f"{problem} under {name!r}", None
        pipelines[name] = converted
    return "", pipelines


def _has_null(value: Any) -> bool:
    if isinstance(value, list):
        return any("\0" in item for item in cast("list[Any]", value) if isinstance(item, str))
    return isinstance(value, str) and "\0" in value


def _pipeline_problem(value: Any) -> str:
    pipelines = cast("Mapping[str, Any]", value).values() if isinstance(value, Mapping) else (value,)
    try:
        for steps in pipelines:
            parse_pipeline(steps)
    except PassCallError as error:
        return f"cannot be read: {error}"
    return ""
