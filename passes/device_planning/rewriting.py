"""Annotations of devices in the form that planning starts from.

What a function gives, and what a variable is bound to, is fixed to the device that its annotation names; a field is
taken from a tuple before it is copied, not after.

Source of the rule: ``RewriteOnDevices`` in ``src/relay/transforms/device_planner.cc``.
"""

from __future__ import annotations

from relay_lsp.ir.expressions import Expr, Function, Let, TupleGetItem
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.visitor import with_children

from ..provenance import ExprMutator
from .annotations import ignoring_on_device, is_normal, on_device, on_device_attrs

__all__ = ["rewrite_on_devices"]


def rewrite_on_devices(function: Function) -> Function:
    """``function`` with its annotations in that form."""
    return _OnDeviceRewriter().visit_function(function)


class _OnDeviceRewriter(ExprMutator):
    def rewrite_tuple_get_item(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        """The annotation of a tuple becomes that of the field."""
        attrs = on_device_attrs(post.tuple_value)
        if attrs is None or not is_normal(attrs):
            return post
        return apply(
            "on_device",
            post,
            virtual_device=attrs.virtual_device,
            constrain_result=attrs.constrain_result,
            constrain_body=attrs.constrain_body,
        )

    def rewrite_let(self, pre: Let, post: Let) -> Expr:
        """A bound value is fixed to its device."""
        value = _fixed(post.value)
        return post if value is post.value else Let(post.var, value, post.body, post.span)

    def rewrite_function(self, pre: Function, post: Function) -> Expr:
        """A result is fixed to its device."""
        body = _fixed(post.body)
        return post if body is post.body else with_children(post, (*post.params, body))


def _fixed(value: Expr) -> Expr:
    attrs = on_device_attrs(value)
    return on_device(ignoring_on_device(value), attrs.virtual_device) if attrs and is_normal(attrs) else value
