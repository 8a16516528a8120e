"""The options that a ``PassContext`` takes in ``config``, each registered with its kind.

Source of the rule: ``src/ir/transform.cc`` (``PassConfigManager``) and the ``TVM_REGISTER_PASS_CONFIG_OPTION`` of
v0.12.0. The options of TVM's ``tir`` and of its code generators are accepted, so that a context written for TVM works
here, and are read by no pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .errors import did_you_mean

__all__ = ["ConfigOption", "config_options", "register_config_option", "validate_config"]


@dataclass(frozen=True, slots=True)
class ConfigOption:
    """One option: its key, the kind of its value, and what it does."""

    key: str
    kind: type
    doc: str


_options: dict[str, ConfigOption] = {}


def register_config_option(key: str, kind: type, doc: str) -> ConfigOption:
    """Make ``key`` known to every ``PassContext``.

    Raises:
        ValueError: it is known already.
    """
    if key in _options:
        raise ValueError(f"config option {key} is registered twice")
    option = _options[key] = ConfigOption(key, kind, doc)
    return option


def config_options() -> Mapping[str, ConfigOption]:
    """Every registered option by key (TVM's ``PassContext.list_configs``)."""
    return _options


def validate_config(config: Mapping[str, object]) -> dict[str, object]:
    """``config`` checked against the registered options.

    Raises:
        AttributeError: an unknown key (the message lists the candidates), a value of the wrong kind, or ``None``.
    """
    checked: dict[str, object] = {}
    for key, value in config.items():
        option = _options.get(key)
        if option is None:
            candidates = ", ".join(sorted(_options))
            raise AttributeError(
                f"Invalid config option '{key}'{did_you_mean(str(key), _options)} candidates are: {candidates}"
            )
        if value is None:
            raise AttributeError(f"{key} is None")
        if not _is_of_kind(value, option.kind):
            raise AttributeError(
                f"expect config {key} to have type {option.kind.__name__} but get {type(value).__name__}"
            )
        checked[key] = option.kind(value) if option.kind is not object else value
    return checked


def _is_of_kind(value: object, kind: type) -> bool:
    if kind is bool:
        return isinstance(value, int)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind is tuple:
        return isinstance(value, (tuple, list))
    return isinstance(value, kind)


_RELAY_OPTIONS: tuple[tuple[str, type, str], ...] = (
    ("relay.FuseOps.max_depth", int, "The most operators that one fused function may hold."),
    ("relay.FuseOps.link_params", bool, "Whether FuseOps moves constants into the fused functions."),
    (
        "relay.ToMixedPrecision.keep_orig_output_dtype",
        bool,
        "Whether ToMixedPrecision casts each function's result back to its former dtype.",
    ),
    ("relay.backend.use_meta_schedule", bool, "Whether TVM's code generator uses the meta schedule."),
    ("relay.backend.use_meta_schedule_dispatch", int, "How TVM's code generator chooses tuned kernels."),
    ("relay.backend.use_auto_scheduler", bool, "Whether layouts are chosen for TVM's auto scheduler."),
    ("relay.backend.tir_converter", str, "Which of TVM's converters lowers fused functions."),
    ("relay.collage.byoc_fusion_style", tuple, "How CollagePartition fuses, by external compiler."),
    ("relay.collage.byoc_max_depth", int, "The deepest external candidate of CollagePartition."),
    ("relay.collage.tvm_max_depth", int, "The deepest native candidate of CollagePartition."),
    ("relay.fallback_device_type", int, "The device of what no annotation places."),
    ("relay.frontend.fill_span", bool, "Whether front ends give each expression its layer's name as span."),
    (
        "relay.frontend.span_annotator",
        object,
        "A function from a layer's name to the span that front ends give its expressions.",
    ),
    ("relay.remove_standalone_reshapes.enable", bool, "Whether reshapes between kernels are removed."),
    (
        "testing.immutable_module",
        bool,
        "Whether every pass is checked to leave its input unchanged; modules here cannot change.",
    ),
    ("te.keep_schedule_record", bool, "Whether TVM keeps the steps of a schedule."),
)

_TIR_OPTIONS: Mapping[type, str] = {
    bool: (
        "reset_start_id instr_siblings experimental_dma_bypass_cache "
        "ptx_ldg32 lwp_disable_func_prof disable_assert enable_debug use_async_copy disable_vectorize "
        "debug_keep_trivial_loop instrument_bound_checkers disable_storage_rewrite disable_cse_tir is_entry_func "
        "instrument_lwp enable_equiv_terms_in_cse_tir noalias detect_global_barrier usmp.enable "
        "usmp.use_workspace_io contrib.ethos-u.copy_compute_reordering_reorder_by_cycles"
    ),
    int: ("lwp_min_height lwp_max_depth vtcm_capacity contrib.ethos-u.copy_compute_reordering_max_copy_movements"),
    str: "usmp.algorithm usmp.custom_algorithm",
    object: (
        "UnrollLoop RemoveNoOp ReduceBranchingThroughOvercompute add_lower_pass LoopPartition Simplify "
        "HoistExpression HoistIfThenElse InjectDoubleBuffer"
    ),
}

for _key, _kind, _doc in _RELAY_OPTIONS:
    register_config_option(_key, _kind, _doc)
for _kind, _keys in _TIR_OPTIONS.items():
    for _key in _keys.split():
        register_config_option(f"tir.{_key}", _kind, "An option of TVM's TIR passes, which no pass here reads.")
