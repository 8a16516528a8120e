"""``FlexibleShapeDispatch``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relay_lsp.ir.builder import constant
from relay_lsp.ir.dimensions import ANY, Dim
from relay_lsp.ir.expressions import Call, Expr, Function, GlobalVar, If, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops import get
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.type_visitor import distinct_parts, rewrite_type
from relay_lsp.ir.types import TensorType, TupleType, Type

from ..binding import bind
from ..building import de_duplicate
from ..infrastructure import ModulePass, PassContext, PassError, declare_pass, option
from ..main_function import main_of
from ..provenance import current_record


@declare_pass(opt_level=0, required=("InferType",))
class FlexibleShapeDispatch(ModulePass):
    """Let ``@main`` take inputs of any size along one axis, with a function of its own for some sizes.

    ``@main`` asks for the size when it runs, and calls ``@main_SIZE`` where there is one, and else ``@main_dynamic``
    (``@main_?`` in TVM, which cannot be read back), which takes every size. With ``auto_pad``, an input is padded to
    the next larger of the sizes, and what was added is cut off from the result. Source of the rule:
    ``python/tvm/relay/transform/flexible_shape.py``.

    Before (buckets=(1, 4))::

        def @main(%x: Tensor[(1, 3), float32]) -> Tensor[(1, 3), float32] {
          nn.relu(%x)
        }

    After::

        def @main(%x: Tensor[(?, 3), float32]) -> Tensor[(?, 3), float32] {
          %0 = shape_of(%x, dtype="int32");
          %1 = take(%0, 0);
          %2 = equal(%1, 4);
          if (%2) {
            %3 = reshape(%x, newshape=[4, 3]);
            @main_4(%3)
          } else {
            %4 = equal(%1, 1);
            if (%4) {
              %5 = reshape(%x, newshape=[1, 3]);
              @main_1(%5)
            } else {
              @main_dynamic(%x)
            }
          }
        }

        def @main_1(%x: Tensor[(1, 3), float32]) -> Tensor[(1, 3), float32] {
          nn.relu(%x)
        }

        def @main_4(%x: Tensor[(4, 3), float32]) -> Tensor[(4, 3), float32] {
          nn.relu(%x)
        }

        def @main_dynamic(%x: Tensor[(?, 3), float32]) -> Tensor[(?, 3), float32] {
          nn.relu(%x)
        }
    """

    buckets: tuple[int, ...] = option(doc="The sizes that get a function of their own.")
    axis: int = option(default=0, doc="The axis whose size is flexible.")
    auto_pad: bool = option(default=False, doc="Whether inputs of other sizes are padded to the next larger one.")
    pad_value: float = option(default=0.0, doc="What is padded with.")
    input_indices: tuple[int, ...] = option(default=(0,), doc="Which parameters are flexible, all along the same axis.")
    affects_output: bool = option(default=True, doc="Whether the result has the same size along this axis.")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with a function for each size.

        Raises:
            PassError: a size is below 1, there is no ``@main``, a parameter is none of its tensors, or it is ill-typed
                for a size.
        """
        if any(bucket < 1 for bucket in self.buckets):
            raise PassError(f"a size is at least 1, which the buckets {list(self.buckets)} are not")
        var, main = main_of(module)
        dispatch = _Dispatch(self, module, main)
        return self.infer_types(
            module.with_functions({**module.functions, var: dispatch.handler(), **dispatch.functions}), context
        )


def _resized(type: Type | None, axis: int, size: Dim, place: Expr) -> Type:
    """A tensor type, or a tuple of them, with another size along an axis."""

    def has_axis(part: Type) -> bool:
        return isinstance(part, TupleType) or (isinstance(part, TensorType) and -part.ndim <= axis < part.ndim)

    without = type if type is None else next((part for part in distinct_parts(type) if not has_axis(part)), None)
    if type is None or without is not None:
        raise PassError(f"there is no axis {axis} in {without!r}", place=place)

    def resized(part: Type) -> Type:
        if not isinstance(part, TensorType):
            return part
        shape = list(part.shape)
        shape[axis] = size
        return TensorType(tuple(shape), part.dtype)

    return rewrite_type(type, resized)


class _Dispatch:
    def __init__(self, options: FlexibleShapeDispatch, module: IRModule, main: Function) -> None:
        self.functions: dict[GlobalVar, Function] = {}
        self._options = options
        self._module = module
        self._main = main
        self._record = current_record()
        if any(not 0 <= index < len(main.params) for index in options.input_indices):
            raise PassError(f"@main has {len(main.params)} parameters, and no others", place=main)
        self._dynamic = {index: self._param(index, ANY) for index in options.input_indices}

    def _param(self, index: int, size: Dim) -> Var:
        old = self._main.params[index]
        type = old.type_annotation or old.checked_type
        if not isinstance(type, TensorType):
            raise PassError(f"%{old.name_hint} is no tensor, and has no size along an axis", place=old)
        unknown = [axis for axis, dim in enumerate(type.shape) if not isinstance(dim, int)]
        others = [axis for axis in unknown if axis != self._options.axis % type.ndim]
        if others:
            raise PassError(
                f"%{old.name_hint} has no known size along axis {others[0]}, which an input must have for each of the "
                "buckets: give the parameter a size there",
                place=old,
            )
        new = Var(old.name_hint, _resized(type, self._options.axis, size, old), old.span)
        self._record.record(new, old)
        return new

    def _result_type(self, size: Dim) -> Type | None:
        result = self._main.ret_type
        if not self._options.affects_output or result is None:
            return result
        return _resized(result, self._options.axis, size, self._main)

    def _specialize(self, size: Dim, suffix: str) -> GlobalVar:
        """A copy of ``@main`` for one size."""
        main = de_duplicate(self._main)
        assert isinstance(main, Function)
        params = list(main.params)
        for index in self._options.input_indices:
            params[index] = self._param(index, size)
        body = bind(main.body, dict(zip(main.params, params, strict=True)))
        new = Function(tuple(params), body, self._result_type(size), main.type_params, main.attrs)
        self._record.attribute(new, self._main)
        name = f"main_{suffix}"
        if name in self._module or any(var.name_hint == name for var in self.functions):
            raise PassError(f"there is a function @{name} already", place=self._main)
        var = GlobalVar(name)
        self._record.record(var, self._main)
        self.functions[var] = new
        return var

    def handler(self) -> Function:
        """The function that chooses."""
        main, options = self._main, self._options
        shape = apply("shape_of", self._dynamic[options.input_indices[0]], dtype="int32")
        size = apply("take", shape, constant(options.axis))
        cases = [self._case(number, bucket, size) for number, bucket in enumerate(options.buckets)]
        body: Expr = Call(self._specialize(ANY, "dynamic"), self._arguments(self._dynamic))
        for condition, result in cases:
            body = If(condition, result, body)
        params = tuple(self._dynamic.get(index, param) for index, param in enumerate(main.params))
        new = Function(params, body, self._result_type(ANY), main.type_params, main.attrs, main.span)
        self._record.attribute(new, main)
        return new

    def _arguments(self, given: Any) -> tuple[Expr, ...]:
        return tuple(given.get(index, param) for index, param in enumerate(self._main.params))

    def _case(self, number: int, bucket: int, size: Expr) -> tuple[Expr, Expr]:
        """Whether a size is chosen, and the result then."""
        options = self._options
        inputs: dict[int, Expr] = dict(self._dynamic)
        checked = size
        if options.auto_pad:
            previous = options.buckets[number - 1] if number else None
            inputs = {index: self._padded(param, bucket, previous, size) for index, param in self._dynamic.items()}
            shape = apply("shape_of", inputs[options.input_indices[0]], dtype="int32")
            checked = apply("take", shape, constant(options.axis))
        var = self._specialize(bucket, str(bucket))
        for index in options.input_indices:
            type = self.functions[var].params[index].type_annotation
            sizes: Sequence[Dim] = type.shape if isinstance(type, TensorType) else ()
            inputs[index] = apply("reshape", inputs[index], newshape=tuple(sizes))
        result: Expr = Call(var, self._arguments(inputs))
        if options.auto_pad and options.affects_output:
            zero, one = constant(0), constant(1)
            kept = apply("arange", zero, size, one, start=zero, stop=size, step=one, dtype="int32")
            result = apply("take", result, kept, axis=options.axis)
        return apply("equal", checked, constant(bucket)), result

    def _padded(self, param: Var, bucket: int, previous: int | None, size: Expr) -> Expr:
        """An input, padded to a size where that is the next larger one."""
        type = param.type_annotation
        assert isinstance(type, TensorType)
        scatter = get("scatter_nd")
        mode: Any = scatter.metadata_attrs_type
        missing = apply("subtract", constant(bucket), size)
        none = apply("zeros", shape=(type.ndim, 2), dtype="int32")
        widths = Call(scatter, (none, constant([self._options.axis, 1]), missing), mode(mode="update"))
        padded = apply("dyn.nn.pad", param, widths, constant(self._options.pad_value, type.dtype), pad_width=None)
        fits: Expr = apply("less_equal", size, constant(bucket))
        if previous is not None:
            fits = apply("logical_and", fits, apply("greater", size, constant(previous)))
        return If(fits, padded, param)
