"""Where the life of a variable ends, and what memory is in use until then."""

from __future__ import annotations

import pytest

from relay_lsp import ir
from relay_lsp.passes import PassError, create
from tests.passes.modules import assert_same, read


def test_a_variable_dies_in_the_branch_that_reads_it_last():
    before = """
    def @main(%x: int32, %c: bool) {
      let %a = add(%x, 1);
      let %r = if (%c) {
        let %b = multiply(%a, %x);
        let %d = negative(%b);
        %d
      } else {
        %a
      };
      %r
    }
    """
    after = """
    def @main(%x: int32, %c: bool) {
      let %a = add(%x, 1);
      let %r = if (%c) {
        let %b = multiply(%a, %x);
        let %k1 = memory.kill(%a);
        let %k2 = memory.kill(%x);
        let %d = negative(%b);
        let %k3 = memory.kill(%b);
        %d
      } else {
        %a
      };
      let %k4 = memory.kill(%c);
      %r
    }
    """
    assert_same(create("ManifestLifetimes")(read(before)), read(after))


def test_a_name_for_a_matched_value_is_the_value():
    before = """
    type Box { Boxed(int32), }
    def @main(%b: Box) {
      let %m = match (%b) {
        %whole => { let %u = (%whole, %whole); %u },
      };
      %m
    }
    """
    after = """
    type Box { Boxed(int32), }
    def @main(%b: Box) {
      let %m = match (%b) {
        %whole => {
          let %u = (%b, %b);
          let %k = memory.kill(%b);
          %u
        },
      };
      %m
    }
    """
    assert_same(create("ManifestLifetimes")(read(before)), read(after))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("if (%c) { %x } else { %x }", "If expressions should be bound to variables"),
        ("let %r = ref(%x); ref_read(%r)", "lifetimes are not known through RefRead"),
        ("let %f = fn (%y: int32) { let %z = add(%y, %x); %z }; %f(%x)", "outside of nested functions"),
    ],
)
def test_what_has_no_lifetimes_is_refused(body, message):
    with pytest.raises(PassError, match=message):
        create("ManifestLifetimes")(read(f"def @main(%x: int32, %c: bool) {{ {body} }}"))


def test_a_call_uses_what_is_live_besides_its_operands():
    """The second call runs while the result of the first is still needed."""
    before = """
    def @main(%x: Tensor[(4), int8]) {
      let %f = fn (%y: Tensor[(4), int8], Primitive=1) { nn.relu(%y) };
      let %a = %f(%x);
      let %g = fn (%y: Tensor[(4), int8], Primitive=1) { cast(%y, dtype="int32") };
      let %b = %g(%x);
      let %c = %g(%a);
      let %d = (%b, %c);
      %d
    }
    """
    function = create("AnnotateUsedMemory")(read(before))["main"]
    assert function.attrs["io_used_memory"] == 4 + 2 * 16
    used: list[object] = []
    let = function.body
    while isinstance(let, ir.Let):
        if isinstance(let.value, ir.Function):
            used.append(let.value.attrs["used_memory"])
        let = let.body
    assert used == [(4 + 4,), (4 + 4 + 16, 4 + 16 + 16)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def @other() { 1 }", "no function @main"),
        ("def @main(%x: Tensor[(?), int8]) { nn.relu(%x) }", "does not support dynamic shapes"),
        ("def @main(%x: int8) { let %f = fn (%y: int8) { %y }; let %a = %f(%x); %a }", "run FuseOps first"),
        ("def @main(%x: int8) { let %f = fn (%y: int8, Primitive=1) { %y }; %x }", "no call of the fused function %f"),
    ],
)
def test_memory_that_cannot_be_counted_is_refused(text, message):
    with pytest.raises(PassError, match=message):
        create("AnnotateUsedMemory")(read(text))
