"""The passes of a build, the parameters that it binds, and the allocations for the virtual machine."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from relay_lsp import ir, passes
from relay_lsp.ir import testing
from relay_lsp.ir.ops.application import is_call_to
from relay_lsp.ir.visitor import post_order
from tests.passes.modules import computed, read, typed

MODEL = """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(8, 4, 3, 3), float32], %b: Tensor[(8), float32]) {
  %0 = nn.conv2d(%x, %w, channels=8, kernel_size=[3, 3]);
  %1 = nn.bias_add(%0, %b);
  nn.relu(%1)
}
"""


class Names(passes.PassInstrument):
    """The passes in the order in which they start."""

    def __init__(self):
        self.names = []

    def run_before_pass(self, mod, info):
        self.names.append(info.name)


def names_at(level, executor="graph", config=None, target: str | tuple[str, ...] = "llvm"):
    watching = Names()
    with passes.PassContext(instruments=[watching], config=config or {}):
        passes.optimize(read(MODEL), target, opt_level=level, executor=executor)
    return [name for name in watching.names if name != "InferType"]


def test_the_level_says_which_passes_run():
    assert names_at(0) == [
        "sequential",
        "qnn.Legalize",
        "SimplifyInference",
        "FoldScaleAxis",
        "SimplifyExpr",
        "FlattenAtrousConv",
        "SimplifyExprPostAlterOp",
        "PlanDevices",
        "PlanDevicesRewrite",
        "PlanDevicesCore",
        "FuseOps",
        "InlineGlobals",
        "LabelOps",
        "AnnotateMemoryScope",
    ]
    assert "FoldConstant" in names_at(2)
    assert "AlterOpLayout" not in names_at(2)
    assert "AlterOpLayout" in names_at(3)
    assert "FastMath" not in names_at(3)
    assert "FastMath" in names_at(4)


def test_several_targets_leave_layouts_alone():
    assert {"Legalize", "AlterOpLayout", "SplitArgs"}.isdisjoint(names_at(4, target=("llvm", "cuda")))


def test_tuned_layouts_are_asked_for_by_the_context():
    names = names_at(3, config={"relay.backend.use_auto_scheduler": True})
    after = names.index("AutoSchedulerLayoutRewrite")
    assert names[after : after + 4] == ["AutoSchedulerLayoutRewrite", "DefuseOps", "FoldConstant", "FuseOps"]
    assert "MetaScheduleLayoutRewrite" in names_at(3, config={"relay.backend.use_meta_schedule": True})


def test_the_build_for_the_virtual_machine_ends_with_allocated_memory():
    names = names_at(3, "vm")
    expected = ["ToANormalForm", "LambdaLift", "DeadCodeElimination", "LabelOps", "ManifestAlloc", "ManifestLifetimes"]
    assert [name for name in names if name in expected] == expected
    function = passes.optimize(read(MODEL), executor="vm", opt_level=3)["main"]
    calls = [expr for expr in post_order(function) if isinstance(expr, ir.Call)]
    invoked = [call for call in calls if is_call_to(call, "vm.invoke_tvm_op")]
    assert len(invoked) == sum(is_call_to(call, "memory.alloc_tensor") for call in calls) > 0


@pytest.mark.parametrize("level", range(5))
def test_a_build_keeps_what_the_module_computes(level):
    before = typed(read(MODEL))
    arrays = [np.random.default_rng(0).random(size).astype("float32") for size in ((1, 4, 8, 8), (8, 4, 3, 3), (8,))]
    bound = {"w": arrays[1], "b": arrays[2]}
    after = passes.optimize(before, "llvm -mcpu=core-avx2", params=bound, opt_level=level)
    np.testing.assert_allclose(computed(after, arrays[0]), computed(before, *arrays), rtol=1e-4)


def test_a_network_is_one_chain_of_kernels_in_blocks():
    module = testing.mlp()
    result = passes.optimize(module, params=testing.random_parameters(module), opt_level=3)
    assert [param.name_hint for param in result["main"].params] == ["data"]
    assert any(is_call_to(expr, "nn.contrib_dense_pack") for expr in post_order(result["main"]))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"b": np.zeros(7, "float32")}, r"parameter %b is a Tensor\[\(8\), float32\], but a Tensor\[\(7\), float32\]"),
        ({"b": np.zeros(8, "int32")}, "is given"),
    ],
)
def test_parameters_must_fit(params, message):
    with pytest.raises(passes.PassError, match=message):
        passes.bind_params_by_name(read(MODEL), params)


def test_names_that_are_not_there_are_ignored_and_names_that_stand_twice_refused():
    module = read(MODEL)
    assert passes.bind_params_by_name(module, {"other": np.zeros(1)}) is module
    twice = ir.Function((ir.Var("a"), ir.Var("a")), ir.Tuple(()))
    with pytest.raises(passes.PassError, match="several parameters of @main have the name a"):
        passes.bind_params_by_name(ir.IRModule.from_expr(twice), {"a": np.zeros(1)})


def test_values_for_none_of_the_parameters_are_refused_with_those_that_there_are(tmp_path):
    np.savez(tmp_path / "other.npz", weight=np.zeros(8, "float32"))
    with pytest.raises(passes.PassError, match="@main has none of the parameters %weight; it has %x, %w, %b"):
        passes.create("BindParams", file=str(tmp_path / "other.npz"))(read(MODEL))


def test_a_value_whose_name_has_dots_is_for_the_parameter_that_a_text_can_name(tmp_path):
    np.savez(tmp_path / "weights.npz", **{"layer1.0.bias": np.ones(2, "float32"), "unused": np.ones(1)})
    module = read(
        "def @main(%x: Tensor[(2), float32], %layer1_0_bias: Tensor[(2), float32]) { add(%x, %layer1_0_bias) }"
    )
    bound = passes.create("BindParams", file=str(tmp_path / "weights.npz"))(module)
    assert [param.name_hint for param in bound["main"].params] == ["x"]


def test_parameters_are_read_from_files(tmp_path):
    arrays = {"w": np.arange(6, dtype="float32").reshape(2, 3), "n": np.array([1, 2], "int64")}
    np.savez(tmp_path / "params.npz", **arrays)
    header: dict[str, object] = {"__metadata__": {"format": "np"}}
    data = b""
    for name, dtype in (("w", "F32"), ("n", "I64")):
        raw = arrays[name].tobytes()
        offsets = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": dtype, "shape": list(arrays[name].shape), "data_offsets": offsets}
        data += raw
    text = json.dumps(header).encode()
    (tmp_path / "params.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    for name in ("params.npz", "params.safetensors"):
        parameters = passes.read_parameters(tmp_path / name)
        assert sorted(parameters) == ["n", "w"]
        np.testing.assert_array_equal(parameters["w"], arrays["w"])
        assert parameters["n"].dtype == "int64"


def described(dtype, shape, offsets):
    """The header of a file that says this of one tensor."""
    header = json.dumps({"w": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}).encode()
    return struct.pack("<Q", len(header)) + header


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.npz", None, "holds no parameters that can be read"),
        ("bad.npz", b"PK\3\4", "holds no parameters that can be read"),
        ("empty.npz", b"", "it is no archive of arrays"),
        ("text.npz", b"hello", "it is no archive of arrays"),
        ("short.safetensors", b"\1", "the file ends within the length of its header"),
        ("text.safetensors", struct.pack("<Q", 1) + b"w", "the header is no JSON"),
        ("list.safetensors", struct.pack("<Q", 2) + b"[]", "the header is no JSON object"),
        ("bare.safetensors", struct.pack("<Q", 7) + b'{"w":3}', "tensor w is not described by dtype, shape and"),
        ("far.safetensors", described("U8", [2], [0, 2]), "tensor w lies outside of the file"),
        (
            "odd.safetensors",
            described("U8", [2], [0, 1]) + b"1",
            "tensor w has 1 bytes, and its shape and dtype ask for 2",
        ),
        ("long.safetensors", struct.pack("<Q", 1 << 40), "the header is longer than the file"),
        ("narrow.safetensors", described("F8", [1], [0, 1]) + b"1", "dtype F8"),
        ("model.pt", b"", "from .npz and .safetensors, not from model.pt"),
    ],
)
def test_files_that_hold_no_parameters_are_refused(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(passes.PassError, match=message):
        passes.read_parameters(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("let %f = fn (%y: int32, Primitive=1) { negative(%y) }; %f(%x)", "calls out of a let block"),
        ("let %f = fn (%y: int32, Primitive=1) { negative(%y) }; let %a = %f(%x); %a", "run PlanDevices first"),
    ],
)
def test_memory_is_allocated_in_normal_form_and_on_known_devices(text, message):
    with pytest.raises(passes.PassError, match=message):
        passes.create("ManifestAlloc")(read(f"def @main(%x: int32) {{ {text} }}"))


def test_memory_of_unknown_size_is_refused():
    module = read(
        "def @main(%x: Tensor[(?), int32]) "
        "{ let %f = fn (%y: Tensor[(?), int32], Primitive=1) { negative(%y) }; let %a = %f(%x); %a }"
    )
    with pytest.raises(passes.PassError, match="is not known; shape functions come of lowering"):
        passes.create("ManifestAlloc")(passes.create("PlanDevices")(module))


def test_a_target_with_textures_is_refused():
    with pytest.raises(passes.PassError, match="has texture memory"):
        passes.optimize(read(MODEL), "opencl -device=adreno", opt_level=0)


def test_a_build_for_the_virtual_machine_needs_its_normal_form():
    with pytest.raises(passes.PassError, match="the virtual machine runs ToANormalForm, which this context leaves out"):
        passes.optimize(read(MODEL), executor="vm", opt_level=0)
    assert "main" in passes.optimize(read(MODEL), executor="vm", opt_level=1)
