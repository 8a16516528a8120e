"""TVM's spelling of ours: what a script or a pass for TVM v0.12.0 needs to run here after its import lines are changed.

::

    from relay_lsp.compat import tvm
    from relay_lsp.compat.tvm import relay

Nothing is implemented here a second time. Operators' functions are generated from the operators' declarations, passes
from the passes', and the rest are other names for what ``relay_lsp.ir``, ``relay_lsp.passes`` and
``relay_lsp.frontends`` have. Two things differ in kind: a module can be changed in place
(:class:`.modules.MutableModule`), and mutators and visitors are asked for each expression before its parts
(:mod:`.functors`). What makes code for a device (``te``, ``tir``, ``relay.build``) is not here.
"""
