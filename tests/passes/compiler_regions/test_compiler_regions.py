"""What a region of a compiler holds."""

from __future__ import annotations

import pytest

from relay_lsp.passes import PassError, create
from relay_lsp.passes.patterns import is_op
from tests.passes.modules import read

METADATA = """
#[metadata]
{
  "root": 1,
  "nodes": [
    {"type_key": ""},
    {"type_key": "Map", "keys": ["relay.attrs.CompilerAttrs"], "data": [2]},
    {"type_key": "Array", "data": [3]},
    {"type_key": "relay.attrs.CompilerAttrs", "attrs": {"compiler": "dnnl"}}
  ],
  "b64ndarrays": [],
  "attrs": {"tvm_version": "0.12.0"}
}
"""


def test_a_reference_is_outside_of_every_region():
    """As in TVM, which looks at a reference before it has looked at what the reference holds."""
    text = """
def @main(%x: Tensor[(4), float32]) {
  %0 = annotation.compiler_begin(%x, meta[relay.attrs.CompilerAttrs][0]);
  %1 = ref(%0);
  annotation.compiler_end(%1, meta[relay.attrs.CompilerAttrs][0])
}
"""
    with pytest.raises(PassError, match="a value leaves a region that it is not in"):
        create("MergeCompilerRegions")(read(text + METADATA))


@pytest.mark.parametrize("entry", ["relu", ["relu", "nn.relu"], ["relu", is_op("nn.relu"), 3], None, 3])
def test_a_table_of_patterns_of_something_else_is_refused(entry: object):
    module = read("def @main(%x: Tensor[(4), float32]) { nn.relu(%x) }")
    said = r"MergeComposite: option pattern_table takes \(name, pattern\) or \(name, pattern, check\), not "
    with pytest.raises(PassError, match=said):
        create("MergeComposite", pattern_table=[entry])(module)
