"""Which device each value lies on, and the copies between devices."""

from __future__ import annotations

import pytest

from relay_lsp import ir
from relay_lsp.ir.expressions import VirtualDevice
from relay_lsp.ir.metadata import write_metadata
from relay_lsp.passes import PassContext, PassError, create
from relay_lsp.passes.device_planning.recovery import recover_virtual_device_map
from relay_lsp.passes.targets import Target
from tests.passes.modules import assert_same, read, typed

LLVM, CUDA = Target.parse("llvm"), Target.parse("cuda")
CPU = VirtualDevice(1, 0, LLVM.node(LLVM))
GPU = VirtualDevice(2, 0, CUDA.node(LLVM))
DEVICES = "\n#[metadata]\n" + write_metadata({"VirtualDevice": [CPU, GPU]})


def planned(text, default=2):
    """The module with devices; 2 is the default device, a GPU."""
    with PassContext(config={"relay.fallback_device_type": default}):
        return create("PlanDevices", targets=("llvm", "cuda"))(read(text + DEVICES))


def test_what_is_asked_for_reaches_everything_in_the_same_place_and_is_copied_where_that_ends():
    before = """
    def @main(%a: Tensor[(5), float32], %b: Tensor[(5), float32], %c: Tensor[(5), float32]) {
      %0 = add(%a, %b);
      %1 = on_device(%0, virtual_device=meta[VirtualDevice][0]);
      subtract(%1, %c)
    }
    """
    after = """
    def @main(%a {virtual_device=meta[VirtualDevice][0]}: Tensor[(5), float32],
              %b {virtual_device=meta[VirtualDevice][0]}: Tensor[(5), float32],
              %c {virtual_device=meta[VirtualDevice][1]}: Tensor[(5), float32],
              virtual_device=meta[VirtualDevice][1]) {
      %0 = add(%a, %b);
      %1 = on_device(%0, virtual_device=meta[VirtualDevice][0], constrain_result=True);
      %2 = device_copy(%1, src_virtual_device=meta[VirtualDevice][0], dst_virtual_device=meta[VirtualDevice][1]);
      subtract(%2, %c)
    }
    """
    result = planned(before)
    assert_same(result, read(after + DEVICES))
    assert_same(create("PlanDevices", targets=("llvm", "cuda"))(result), result)


def test_a_field_is_taken_before_it_is_copied():
    before = """
    def @main(%t: (Tensor[(5), float32], Tensor[(5), float32])) {
      %0 = on_device(%t, virtual_device=meta[VirtualDevice][0]);
      %1 = %0.0;
      negative(%1)
    }
    """
    after = """
    def @main(%t {virtual_device=meta[VirtualDevice][0]}: (Tensor[(5), float32], Tensor[(5), float32]),
              virtual_device=meta[VirtualDevice][1]) {
      %0 = %t.0;
      %1 = on_device(%0, virtual_device=meta[VirtualDevice][0], constrain_result=True);
      %2 = device_copy(%1, src_virtual_device=meta[VirtualDevice][0], dst_virtual_device=meta[VirtualDevice][1]);
      negative(%2)
    }
    """
    assert_same(planned(before), read(after + DEVICES))


def test_a_function_that_is_an_argument_carries_devices_to_its_calls():
    before = """
    def @main(%x: Tensor[(5), float32], %y: Tensor[(5), float32]) {
      let %f = fn (%g, %a: Tensor[(5), float32]) { %g(%a) };
      let %h = fn (%b: Tensor[(5), float32]) { negative(on_device(%b, virtual_device=meta[VirtualDevice][0])) };
      %f(%h, %x)
    }
    """
    x, y = planned(before)["main"].params
    assert x.virtual_device == CPU
    assert y.virtual_device == GPU


def test_shapes_lie_on_the_host():
    module = planned(
        "def @main(%x: Tensor[(?), float32], %s: Tensor[(1), int64]) { vm.reshape_tensor(%x, %s, newshape=[5]) }"
    )
    devices = [param.virtual_device for param in module["main"].params]
    assert [device and device.device_type for device in devices] == [2, 1]


@pytest.mark.parametrize(
    ("text", "targets", "message"),
    [
        (
            "%0 = on_device(%x, virtual_device=meta[VirtualDevice][0], constrain_result=True);"
            "%1 = on_device(%x, virtual_device=meta[VirtualDevice][1], constrain_result=True); add(%0, %1)",
            ("llvm", "cuda"),
            "a value cannot lie on device type 1, number 0 and on device type 2, number 0",
        ),
        ("device_copy(%x, src_virtual_device=meta[VirtualDevice][2], dst_virtual_device=meta[VirtualDevice][2])", (),
         "no target is given for the device type 8"),
        ("%x", ("llvm", "llvm -mcpu=core-avx2"), "each kind of target can be given once only"),
        ("%x", ("lvm",), "did you mean llvm"),
    ],
)  # fmt: skip
def test_devices_that_cannot_be_planned_are_refused(text, targets, message):
    devices = "\n#[metadata]\n" + write_metadata({"VirtualDevice": [CPU, GPU, VirtualDevice(8)]})
    with pytest.raises(PassError, match=message):
        create("PlanDevices", targets=targets)(read(f"def @main(%x: Tensor[(5), float32]) {{ {text} }}{devices}"))


def test_the_plan_can_be_read_back():
    module = typed(
        planned("""
        def @main(%a: Tensor[(5), float32], %c: Tensor[(5), float32]) {
          %0 = on_device(negative(%a), virtual_device=meta[VirtualDevice][0]);
          add(%0, %c)
        }
        """)
    )
    function = module["main"]
    devices = recover_virtual_device_map(module, function)
    assert devices[function] == devices[function.params[1]] == devices[function.body] == GPU
    assert devices[function.params[0]] == CPU
    assert isinstance(function.body, ir.Call)
    copy = function.body.args[0]
    assert devices[copy] == GPU
    assert isinstance(copy, ir.Call)
    assert isinstance(copy.args[0], ir.Call)
    assert devices[copy.args[0].args[0]] == CPU
