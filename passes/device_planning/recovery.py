"""Reading back where each value lies, from what ``PlanDevices`` has written down.

Source of the rule: ``src/relay/transforms/device_aware_visitors.cc`` (``RecoverVirtualDeviceMap``).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping

from relay_lsp.ir.expressions import Constructor, Expr, Function, GlobalVar, Let, Var, VirtualDevice
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children

from .annotations import UNCONSTRAINED, ignoring_on_device, is_fixed, on_device_attrs

__all__ = ["recover_virtual_device_map"]


def recover_virtual_device_map(module: IRModule, root: Expr) -> Mapping[Expr, VirtualDevice]:
    """The device of every expression below ``root``, as it follows from what is around it.

    Operators and constructors lie everywhere and are left out. Where nothing says the device, it is unconstrained.
    """
    return _Recovery(module).of(root)


class _Recovery:
    def __init__(self, module: IRModule) -> None:
        self.devices: dict[Expr, VirtualDevice] = {}
        self.variables: dict[Var, VirtualDevice] = {}
        self.functions = {
            var: function.virtual_device for var, function in module.functions.items() if function.virtual_device
        }
        self.around = [UNCONSTRAINED]
        self.visited: set[Expr] = set()

    def of(self, root: Expr) -> Mapping[Expr, VirtualDevice]:
        stack = [self._visit(root)]
        while stack:
            try:
                part = next(stack[-1])
            except StopIteration:
                stack.pop()
                continue
            if isinstance(part, (Op, Constructor)):
                continue
            self.devices[part] = self._device(part)
            if part not in self.visited:
                stack.append(self._visit(part))
        self.devices.setdefault(root, self._device(root))
        return self.devices

    def _visit(self, expr: Expr) -> Generator[Expr, None, None]:
        self.visited.add(expr)
        attrs = on_device_attrs(expr)
        if attrs is not None and is_fixed(attrs):
            self.around.append(attrs.virtual_device)
            yield ignoring_on_device(expr)
            self.around.pop()
        elif isinstance(expr, Function) and not expr.is_primitive:
            self.variables.update((param, param.virtual_device or UNCONSTRAINED) for param in expr.params)
            self.around.append(expr.virtual_device or UNCONSTRAINED)
            yield from children(expr)
            self.around.pop()
        elif isinstance(expr, Let):
            body: Expr = expr
            while isinstance(body, Let):
                self.variables[body.var] = self._device(body.value)
                yield body.var
                yield body.value
                body = body.body
            yield body
        else:
            yield from children(expr)

    def _device(self, expr: Expr) -> VirtualDevice:
        attrs = on_device_attrs(expr)
        if attrs is not None and is_fixed(attrs):
            return attrs.virtual_device
        if isinstance(expr, Var):
            return self.variables.get(expr, UNCONSTRAINED)
        if isinstance(expr, GlobalVar):
            return self.functions.get(expr) or UNCONSTRAINED
        if isinstance(expr, Function) and not expr.is_primitive:
            return expr.virtual_device or UNCONSTRAINED
        return self.around[-1]
