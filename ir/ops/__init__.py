"""Operators by family; importing this package registers them all."""

from . import annotation as annotation
from . import debug as debug
from . import device as device
from . import ethosu as ethosu
from . import function_attributes as function_attributes
from . import image as image
from . import layout_rewriters as layout_rewriters
from . import memory as memory
from . import nn as nn
from . import qnn as qnn
from . import random as random
from . import sparse as sparse
from . import tensor as tensor
from . import vision as vision
from . import vm as vm
from .operator import Argument, Op, OpPattern, RelationContext, RelationError, find, get, register, registered

__all__ = ["Argument", "Op", "OpPattern", "RelationContext", "RelationError", "find", "get", "register", "registered"]
