"""Quantisation of floats to integers, as TVM's ``relay.quantize``: partition, annotate, calibrate, realize.

``quantize`` does all of it to a module, by the options of the current ``qconfig``; the pass ``AutoQuantize`` does it in
a pipeline and in an editor.
"""

from .auto_quantize import AutoQuantize, prerequisite_optimize, quantize
from .configuration import AnnotationKind, QConfig, current_qconfig, qconfig
from .kl_divergence import find_scale_by_kl
from .samples import collect_samples

__all__ = [
    "AnnotationKind",
    "AutoQuantize",
    "QConfig",
    "collect_samples",
    "current_qconfig",
    "find_scale_by_kl",
    "prerequisite_optimize",
    "qconfig",
    "quantize",
]
