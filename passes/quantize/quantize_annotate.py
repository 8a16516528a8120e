"""``QuantizeAnnotate``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.visitor import free_vars

from ..infrastructure import FunctionPass, PassContext, declare_pass
from ..provenance.record import current_record
from .annotation import Annotated, AnnotationRules
from .configuration import AnnotationKind, shared_option
from .forwarding import ForwardRewriter


@declare_pass(opt_level=1)
class QuantizeAnnotate(FunctionPass):
    """Simulate the error of quantisation: put ``simulated_quantize`` before what is going to be computed on integers.

    Its scale and its limits are not known yet: they are new parameters of the function, to which ``QuantizeCalibrate``
    gives values. Convolutions, dense layers and products of matrices take inputs and weights of few bits, and give an
    activation of many; other operators pass on what they get. What comes after ``nn.global_avg_pool2d`` stays in
    floats. Convolutions are counted in each function anew; TVM goes on counting over functions, whose order is that of
    their addresses.

    Source of the rule: ``python/tvm/relay/quantize/_annotate.py``, ``src/relay/quantize/annotate.cc``.

    Before (skip_conv_layers=[])::

        def @main(%x: Tensor[(1, 2, 4, 4), float32], %w: Tensor[(2, 2, 1, 1), float32]) {
          nn.conv2d(%x, %w, padding=[0, 0, 0, 0], kernel_size=[1, 1])
        }

    After::

        def @main(%x: Tensor[(1, 2, 4, 4), float32], %w: Tensor[(2, 2, 1, 1), float32], %dom_scale: float32,
            %clip_min: float32, %clip_max: float32, %dom_scale1: float32, %clip_min1: float32, %clip_max1: float32) {
          %0 = relay.op.annotation.simulated_quantize(%x, %dom_scale, %clip_min, %clip_max, kind=1);
          %1 = relay.op.annotation.simulated_quantize(%w, %dom_scale1, %clip_min1, %clip_max1, kind=2);
          nn.conv2d(%0, %1, padding=[0, 0, 0, 0], kernel_size=[1, 1])
        }
    """

    skip_dense_layer: bool = shared_option("skip_dense_layer")
    skip_conv_layers: tuple[int, ...] | None = shared_option("skip_conv_layers")
    debug_enabled_ops: tuple[str, ...] | None = shared_option("debug_enabled_ops")

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with quantisation simulated.

        Raises:
            PassError: the weight of a layer is quantised already, or two quantised values are multiplied.
        """
        rules = AnnotationRules(
            skip_dense_layer=self.skip_dense_layer,
            skip_conv_layers=self.skip_conv_layers,
            enabled=self.debug_enabled_ops,
            remarks=current_record().remarks,
        )
        new = _Annotator(rules, function).visit_function(function)
        limits = tuple(free_vars(new))
        if not limits:
            return new
        return Function(
            (*new.params, *limits),
            new.body,
            new.ret_type,
            new.type_params,
            new.attrs,
            new.span,
            new.virtual_device,
        )


class _Annotator(ForwardRewriter[Annotated]):
    def __init__(self, rules: AnnotationRules, function: Function) -> None:
        super().__init__(rules.by_operator, function)
        self._annotation = rules

    def used_often(self, value: Annotated) -> Annotated:
        """Quantised once for all uses."""
        return Annotated(self._annotation.quantized(value.value, AnnotationKind.INPUT), AnnotationKind.INPUT)
