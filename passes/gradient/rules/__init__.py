"""The gradient of each operator, by family; importing this package registers them all.

Source of the rules: ``python/tvm/relay/op/_tensor_grad.py``.
"""

from . import creation as creation
from . import elementwise as elementwise
from . import indexing as indexing
from . import networks as networks
from . import reductions as reductions
from . import shapes as shapes
