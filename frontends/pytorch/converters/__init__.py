"""The converters of PyTorch's operators by family: each module declares those of its own.

Each follows the converter of the same operator in ``python/tvm/relay/frontend/pytorch.py`` and ``qnn_torch.py``
(TVM v0.12.0), so that the module is the one that TVM makes; where TVM's computes something else than PyTorch, its
docstring tells what is done instead. An operator in place (``aten::relu_``) is that without the underscore.
"""
