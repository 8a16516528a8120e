"""Where values lie, as far as is known, and which values lie in the same place.

A domain stands for the device of a value; that of a function has one for each parameter and one for the result. Domains
that must agree are unified.

Source of the rule: ``src/relay/transforms/device_domains.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Call, Constructor, Expr, Function, GlobalVar, VirtualDevice
from relay_lsp.ir.ops.memory import AllocStorageAttrs
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import FuncType, Type

from ..infrastructure import PassError
from .annotations import UNCONSTRAINED, device_copy_parts, on_device_attrs
from .configuration import CompilationConfig, default_device, joined_devices

__all__ = ["DeviceDomains", "Domain"]


class Domain:
    """A device that may be known in part, or, with ``parts``, those of a function's parameters and of its result."""

    __slots__ = ("device", "link", "parts")

    def __init__(self, device: VirtualDevice = UNCONSTRAINED, parts: Sequence[Domain] = ()) -> None:
        self.device = device
        self.parts = parts
        self.link: Domain | None = None
        """The domain that this one was unified with, and that stands for both."""


class DeviceDomains:
    """The domains of the expressions of one module, and what has been unified."""

    def __init__(self, config: CompilationConfig) -> None:
        self.config = config
        self._domains: dict[Expr, Domain] = {}
        self._callees: dict[Call, Domain] = {}
        self._host = Domain(config.host_device)
        self._changes: list[tuple[Domain, Domain | None]] | None = None

    def made_for(self, type: Type | None, device: VirtualDevice = UNCONSTRAINED) -> Domain:
        """A new domain for a value of ``type`` that lies on ``device``; a function gives its values there."""
        results: list[FuncType] = []
        while isinstance(type, FuncType):
            results.append(type)
            type = type.ret_type
        domain = Domain(device)
        for function in reversed(results):
            domain = Domain(parts=(*map(self.made_for, function.arg_types), domain))
        return domain

    def on(self, device: VirtualDevice, type: Type | None) -> Domain:
        """A new domain for a value of ``type`` that an annotation puts on ``device``."""
        return self.made_for(type, self.config.canonical(device))

    def of(self, expr: Expr) -> Domain:
        """The domain of an expression."""
        domain = self._domains.get(expr)
        if domain is None:
            domain = self._domains[expr] = self.made_for(expr.checked_type)
        return self.find(domain)

    def name(self, var: GlobalVar, function: Function) -> None:
        """Let ``var`` lie where the function that it names does."""
        self._domains[var] = self.of(function)

    def of_callee(self, call: Call) -> Domain:
        """The domain of what ``call`` calls: operators and constructors have one of their own for each call."""
        domain = self._callees.get(call)
        if domain is None:
            if not isinstance(call.op, (Op, Constructor)):
                return self.of(call.op)
            parts = self._of_constructor(call) if isinstance(call.op, Constructor) else self._of_operator(call, call.op)
            domain = self._callees[call] = Domain(parts=parts)
        return self.find(domain)

    def _of_operator(self, call: Call, op: Op) -> Sequence[Domain]:
        annotation, copied = on_device_attrs(call), device_copy_parts(call)
        if annotation is not None:
            type = call.args[0].checked_type
            constrained = (annotation.constrain_body, annotation.constrain_result)
            return [self.on(annotation.virtual_device, type) if fixed else self.made_for(type) for fixed in constrained]
        if copied is not None:
            body, source, target = copied
            return [self.on(source, body.checked_type), self.on(target, body.checked_type)]
        free, host = Domain(), self._host
        if op.name == "memory.alloc_storage" and isinstance(call.attrs, AllocStorageAttrs):
            return [host, host, self.on(call.attrs.virtual_device, call.checked_type)]
        if op.name == "memory.alloc_tensor":
            return [free, host, host, free]
        if op.name == "vm.shape_of":
            return [free, host]
        if op.name == "vm.invoke_tvm_op":
            return [self.made_for(call.args[0].checked_type), free, free, free]
        if op.name == "vm.reshape_tensor":
            return [free, host, free]
        return [free] * (len(call.args) + 1)

    def _of_constructor(self, call: Call) -> Sequence[Domain]:
        result = Domain()
        params = [self.made_for(arg.checked_type) for arg in call.args]
        for param in params:
            self._unify_collapsed(result, param)
        return [*params, result]

    def find(self, domain: Domain) -> Domain:
        """The domain that stands for all that were unified with ``domain``."""
        root = domain
        while root.link is not None:
            root = root.link
        while domain.link is not None and domain.link is not root:
            following = domain.link
            self._set_link(domain, root)
            domain = following
        return root

    def _set_link(self, domain: Domain, to: Domain) -> None:
        if self._changes is not None:
            self._changes.append((domain, domain.link))
        domain.link = to

    def _unify(self, left: Domain, right: Domain) -> bool:
        """Make both the same domain; whether that is possible. Where it is not, part of it may be done."""
        pairs = [(left, right)]
        while pairs:
            left, right = (self.find(domain) for domain in pairs.pop())
            if left is right:
                continue
            if len(left.parts) != len(right.parts):
                return False
            if left.parts:
                pairs.extend(zip(left.parts, right.parts, strict=True))
                self._set_link(right, left)
                continue
            if left.device == UNCONSTRAINED or left.device == right.device:
                self._set_link(left, right)
                continue
            joined = left.device if right.device == UNCONSTRAINED else joined_devices(left.device, right.device)
            if joined is None:
                return False
            if joined != left.device:
                common = Domain(self.config.canonical(joined))
                self._set_link(left, common)
                left = common
            self._set_link(right, left)
        return True

    def _unify_collapsed(self, one: Domain, other: Domain) -> bool:
        """Make ``one``, which is no function's, that of ``other`` and, if that is a function's, of all its parts."""
        other = self.find(other)
        return all(self._unify(part, one) for part in other.parts) if other.parts else self._unify(one, other)

    def unify(self, expr: Expr, domain: Domain, place: Expr | None = None) -> None:
        """Make ``domain`` that of ``expr``.

        Raises:
            PassError: they contradict each other.
        """
        if not self._unify(self.of(expr), domain):
            raise PassError(self._contradiction(self.of(expr), domain), place=place or expr)

    def unify_collapsed(self, expr: Expr, domain: Domain) -> None:
        """Make ``domain``, and if it is a function's all its parts, the domain of ``expr``, which is no function.

        Raises:
            PassError: they contradict each other.
        """
        if not self._unify_collapsed(self.of(expr), domain):
            raise PassError(self._contradiction(self.of(expr), domain), place=expr)

    def unify_call(self, call: Call) -> None:
        """Make arguments and result of ``call`` lie where its callee has them.

        Raises:
            PassError: they lie elsewhere.
        """
        callee = self.of_callee(call)
        if len(callee.parts) != len(call.args) + 1:
            raise PassError("the callee takes another number of arguments", place=call)
        for expr, domain in zip((*call.args, call), callee.parts, strict=True):
            if not self._unify(domain, self.of(expr)):
                message = "function parameters and result do not lie where those of the call do: "
                raise PassError(message + self._contradiction(self.of(expr), domain), place=call)

    def unify_if_possible(self, left: Expr, right: Expr) -> None:
        """Make both expressions lie in one place; where they cannot, leave all as it was."""
        changes: list[tuple[Domain, Domain | None]] = []
        self._changes = changes
        possible = self._unify(self.of(left), self.of(right))
        self._changes = None
        if not possible:
            for domain, link in reversed(changes):
                domain.link = link

    def set_default(self, domain: Domain, fallback: VirtualDevice) -> None:
        """Put what ``domain`` leaves open on ``fallback``."""
        stack = [domain]
        while stack:
            current = self.find(stack.pop())
            if current.parts:
                stack.extend(reversed(current.parts))
                continue
            device = self.config.canonical(default_device(current.device, fallback))
            if device != current.device:
                self._set_link(current, Domain(device))

    def set_result_then_parameters(self, domain: Domain) -> None:
        """Put the result of a function, where that is open, on the default device, and the rest where the result is."""
        self.set_default(self._result(domain), self.config.default_device)
        if self.find(domain).parts:
            self.set_default(domain, self.result_device(domain))

    def _result(self, domain: Domain) -> Domain:
        domain = self.find(domain)
        while domain.parts:
            domain = self.find(domain.parts[-1])
        return domain

    def result_device(self, domain: Domain) -> VirtualDevice:
        """The device of a value; of a function that of its result."""
        return self._result(domain).device

    def _contradiction(self, left: Domain, right: Domain) -> str:
        left_text, right_text = (_described(self.result_device(domain)) for domain in (left, right))
        return f"a value cannot lie on {left_text} and on {right_text}"


def _described(device: VirtualDevice) -> str:
    if device == UNCONSTRAINED:
        return "any device"
    scope = f" in {device.memory_scope}" if device.memory_scope else ""
    return f"device type {device.device_type}, number {device.virtual_device_id}{scope}"
