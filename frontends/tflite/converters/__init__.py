"""The converters of TFLite operators by family: each module declares those of its own.

Each follows the converter of the same operator in ``python/tvm/relay/frontend/tflite.py`` (TVM v0.12.0), so that the
module is the one that TVM makes; where TVM's computes something else than TFLite does, its docstring tells what is done
instead.
"""
