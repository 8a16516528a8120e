"""Allocating the results of fused functions before they are called.

Source of the rule: ``src/relay/transforms/memory_alloc.cc``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from relay_lsp.ir.expressions import Call, Constant, Expr, Function, If, Let, Match, Tuple, Var, VirtualDevice
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.types import FuncType, TensorType, TupleType, Type

from ..device_planning.annotations import UNCONSTRAINED, ignoring_on_device, is_fixed, on_device, on_device_attrs
from ..infrastructure import PassError
from ..provenance import ExprMutator
from ..provenance.mutator import Descent, kept

__all__ = ["manifest_allocations"]

_LEAST_ALIGNMENT = 64
_SIMPLE = ("int32", "int64", "float32", "float64", "bool")
"""Scalars of these dtypes may be fields of a tuple; every other constant is bound first."""


def manifest_allocations(function: Function, host: VirtualDevice) -> Function:
    """``function`` with the results of fused functions allocated, and written by ``vm.invoke_tvm_op``.

    Args:
        function: one in A-normal form, whose devices are planned.
        host: where sizes and shapes lie.

    Raises:
        PassError: a call stands outside of a ``let``, a result's shape is not known, or devices are not planned.
    """
    return _Allocator(host).visit_function(function)


class _Allocator(ExprMutator):
    def __init__(self, host: VirtualDevice) -> None:
        super().__init__()
        self.host = host
        self.around: list[VirtualDevice] = [UNCONSTRAINED]
        self.kernels: dict[Var, Function] = {}

    def descend(self, expr: Expr) -> Descent | None:
        """Bindings are rewritten one after the other; fused functions are not entered."""
        if isinstance(expr, Function):
            return kept(expr) if expr.is_primitive else self._function(expr)
        if isinstance(expr, Let):
            return self._let(expr)
        attrs = on_device_attrs(expr)
        if isinstance(expr, Call) and attrs is not None and is_fixed(attrs):
            return self._on_device(expr, attrs.virtual_device)
        return None

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """A fused function can be called in a binding only."""
        if self._kernel(pre) is not None:
            message = "calls out of a let block are not supported; run ToANormalForm first"
            raise PassError(message, place=pre)
        return post

    def _kernel(self, value: Expr) -> Function | None:
        if not isinstance(value, Call):
            return None
        callee = self.kernels.get(value.op) if isinstance(value.op, Var) else value.op
        return callee if isinstance(callee, Function) and callee.is_primitive else None

    def _function(self, function: Function) -> Descent:
        self.around.append(function.virtual_device or UNCONSTRAINED)
        body = yield function.body
        self.around.pop()
        if body is function.body:
            return function
        return Function(
            function.params,
            body,
            function.ret_type,
            function.type_params,
            function.attrs,
            function.span,
            function.virtual_device,
        )

    def _on_device(self, call: Call, device: VirtualDevice) -> Descent:
        self.around.append(device)
        body = yield call.args[0]
        self.around.pop()
        return call if body is call.args[0] else on_device(body, device)

    def _let(self, let: Let) -> Descent:
        bindings: list[tuple[Var, Expr, Let]] = []
        expr: Expr = let
        while isinstance(expr, Let):
            value = ignoring_on_device(expr.value)
            attrs = on_device_attrs(expr.value)
            device = attrs.virtual_device if attrs is not None and is_fixed(attrs) else self.around[-1]
            if isinstance(value, Function) and value.is_primitive:
                self.kernels[expr.var] = value

            def bind(name: str, new: Expr, source: Let = expr) -> Var:
                var = Var(name)
                bindings.append((var, new, source))
                return var

            kernel = self._kernel(value)
            if kernel is not None and isinstance(value, Call):
                new = self._call(value, kernel, device, bind)
            elif isinstance(value, Tuple):
                new = on_device(self._tuple(value, device, bind), device)
            else:
                new = yield expr.value
                if not isinstance(value, (If, Match, Function)):
                    new = on_device(new, device)
            bindings.append((expr.var, new, expr))
            expr = expr.body
        body = yield expr
        for var, value, old in reversed(bindings):
            if var is old.var and value is old.value and body is old.body:
                body = old
                continue
            body = Let(var, value, body, old.span)
            self.record.attribute(value, old)
            self.record.record(body, old)
            if var is not old.var:
                self.record.record(var, old)
        return body

    def _tuple(self, value: Tuple, device: VirtualDevice, bind: Callable[[str, Expr], Var]) -> Expr:
        fields = tuple(
            bind("const", on_device(field, self._planned(device, value)))
            if isinstance(field, Constant) and not (field.is_scalar and field.dtype in _SIMPLE)
            else field
            for field in value.fields
        )
        return value if fields == value.fields else Tuple(fields, value.span)

    def _call(self, call: Call, kernel: Function, device: VirtualDevice, bind: Callable[[str, Expr], Var]) -> Expr:
        """Bind what the call of a fused function needs; what then has its result."""
        self._planned(device, call)
        type = call.checked_type
        if kernel.attrs.get("relay.reshape_only"):
            shape = self._shape(type, call)
            return on_device(
                apply("vm.reshape_tensor", call.args[0], self._on_host(_vector(shape)), newshape=shape), device
            )
        outputs = tuple(
            self._allocated(each, device, bind, str(index), call) for index, each in enumerate(_tensors(type, call))
        )
        invoke = apply("vm.invoke_tvm_op", call.op, Tuple(call.args), Tuple(outputs))
        bind("x", on_device(invoke, device))
        return _grouped(type, iter(outputs))

    def _allocated(
        self, type: TensorType, device: VirtualDevice, bind: Callable[[str, Expr], Var], name: str, place: Expr
    ) -> Var:
        shape = self._shape(type, place)
        size = math.prod(shape) * ((type.dtype.bits * type.dtype.lanes + 7) // 8)
        alignment = max(type.dtype.bits // 8 * type.dtype.lanes, _LEAST_ALIGNMENT)
        storage = apply(
            "memory.alloc_storage",
            self._on_host(_scalar(size)),
            _scalar(alignment),
            dtype=type.dtype,
            virtual_device=device,
        )
        stored = bind(f"storage_{name}", on_device(storage, device))
        constant = _vector(shape)
        tensor = apply(
            "memory.alloc_tensor",
            stored,
            self._on_host(_scalar(0)),
            self._on_host(constant),
            dtype=type.dtype,
            const_shape=constant,
            assert_shape=shape,
        )
        return bind(f"tensor_{name}", on_device(tensor, device))

    def _on_host(self, value: Expr) -> Expr:
        return on_device(value, self.host)

    def _planned(self, device: VirtualDevice, place: Expr) -> VirtualDevice:
        if device == UNCONSTRAINED:
            raise PassError("no device is known for this value; run PlanDevices first", place=place)
        return device

    def _shape(self, type: Type | None, place: Expr) -> tuple[int, ...]:
        if not isinstance(type, TensorType):
            raise PassError("a fused function gives tensors only", place=place)
        shape = tuple(size for size in type.shape if isinstance(size, int))
        if len(shape) != type.ndim:
            message = f"the shape of the result, {type!r}, is not known; shape functions come of lowering to kernels"
            raise PassError(message, place=place)
        return shape


def _tensors(type: Type | None, place: Expr) -> list[TensorType]:
    """The tensors of a result, those of nested tuples in order."""
    tensors: list[TensorType] = []
    stack = [type]
    while stack:
        current = stack.pop()
        if isinstance(current, TupleType):
            stack.extend(reversed(current.fields))
        elif isinstance(current, TensorType):
            tensors.append(current)
        else:
            what = "functions" if isinstance(current, FuncType) else "values of unknown type"
            raise PassError(f"a fused function cannot give {what}", place=place)
    return tensors


def _grouped(type: Type | None, outputs: Iterator[Expr]) -> Expr:
    """The outputs in the tuples that ``type`` has."""

    def made(current: Type | None) -> Expr:
        if isinstance(current, TupleType):
            return Tuple(tuple(made(part) for part in current.fields))
        return next(outputs)

    return made(type)


def _scalar(value: int) -> Constant:
    return Constant(np.array(value, "int64"), "int64")


def _vector(shape: tuple[int, ...]) -> Constant:
    return Constant(np.array(shape, "int64"), "int64")
