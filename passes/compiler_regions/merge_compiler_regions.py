"""``MergeCompilerRegions``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.visitor import post_order

from ..infrastructure import FunctionPass, PassContext, declare_pass
from ..provenance import ExprMutator, current_record
from ..provenance.remarks import Remarks
from .annotations import is_begin, is_end
from .regions import Region, RegionSet


@declare_pass(opt_level=0)
class MergeCompilerRegions(FunctionPass):
    """Join neighbouring regions of one compiler, where nothing then depends on itself through another region.

    Source of the rule: ``src/relay/transforms/merge_compiler_regions.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          %0 = annotation.compiler_begin(%x, meta[relay.attrs.CompilerAttrs][0]);
          %1 = nn.relu(%0);
          %2 = annotation.compiler_end(%1, meta[relay.attrs.CompilerAttrs][1]);
          %3 = annotation.compiler_begin(%2, meta[relay.attrs.CompilerAttrs][2]);
          %4 = abs(%3);
          annotation.compiler_end(%4, meta[relay.attrs.CompilerAttrs][3])
        }

        #[metadata]
        {
          "root": 1,
          "nodes": [
            {"type_key": ""},
            {"type_key": "Map", "keys": ["relay.attrs.CompilerAttrs"], "data": [2]},
            {"type_key": "Array", "data": [3, 4, 5, 6]},
            {"type_key": "relay.attrs.CompilerAttrs", "attrs": {"compiler": "dnnl"}},
            {"type_key": "relay.attrs.CompilerAttrs", "attrs": {"compiler": "dnnl"}},
            {"type_key": "relay.attrs.CompilerAttrs", "attrs": {"compiler": "dnnl"}},
            {"type_key": "relay.attrs.CompilerAttrs", "attrs": {"compiler": "dnnl"}}
          ],
          "b64ndarrays": [],
          "attrs": {"tvm_version": "0.12.0"}
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          %0 = annotation.compiler_begin(%x, meta[relay.attrs.CompilerAttrs][0]);
          %1 = nn.relu(%0);
          %2 = abs(%1);
          annotation.compiler_end(%2, meta[relay.attrs.CompilerAttrs][1])
        }

        #[metadata]
        {
          "root": 1,
          "nodes": [
            {"type_key": ""},
            {"type_key": "Map", "keys": ["relay.attrs.CompilerAttrs"], "data": [2]},
            {"type_key": "Array", "data": [3, 4]},
            {"type_key": "relay.attrs.CompilerAttrs", "attrs": {"compiler": "dnnl"}},
            {"type_key": "relay.attrs.CompilerAttrs", "attrs": {"compiler": "dnnl"}}
          ],
          "b64ndarrays": [],
          "attrs": {"tvm_version": "0.12.0"}
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with regions joined, and without the annotations that are inside of one from now on."""
        regions = RegionSet(function)
        _merge(function, regions)
        return _InnerAnnotations(regions).visit_function(function)


def _merge(function: Function, regions: RegionSet) -> None:
    """Merge each region with its parents, those nearest the inputs first.

    Sets of regions are numbers with a bit for each: thousands of regions, most of them kept apart, are ordinary.
    """
    # The regions that each has become one with, and those that it may not become one with.
    members: dict[Region, int] = {}
    restrictions: dict[Region, int] = {}
    done: set[Region] = set()
    remarks = current_record().remarks
    for expr in post_order(function):
        region = regions.region_of(expr) if is_end(expr) else None
        if region is None or region in done:
            continue
        members[region] = 1 << region.identity
        parents = dict.fromkeys(
            parent for begin in region.inputs if (parent := regions.region_of(begin.args[0])) is not None
        )
        own = 0
        for parent in parents:
            own |= restrictions.get(parent, 0)
        for parent in parents:
            if parent.target != region.target:
                own |= members[parent]
            elif parent is not region:
                is_free = not own & members[parent]
                if remarks is not None:
                    _remark(remarks, expr, parent, is_free)
                if is_free:
                    regions.merge(parent, region)
                    members[region] |= members.pop(parent)
        restrictions[region] = own
        done.add(region)


def _remark(remarks: Remarks, end: Expr, parent: Region, is_free: bool) -> None:
    neighbour = parent.outputs[0]
    if is_free:
        remarks.passed("merged", end, "its region is merged with that of {}", neighbour)
    else:
        remarks.missed("cycle", end, "its region is not merged with that of {}: it would wait for itself", neighbour)


class _InnerAnnotations(ExprMutator):
    def __init__(self, regions: RegionSet) -> None:
        super().__init__()
        self.regions = regions

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if is_begin(pre) and is_end(pre.args[0]):
            region = self.regions.region_of(pre)
            inner = post.args[0]
            if region is not None and region is self.regions.region_of(pre.args[0]) and is_end(inner):
                return inner.args[0]
        return post
