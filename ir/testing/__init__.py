"""Networks to test and measure with, as TVM's ``relay.testing`` builds them.

Each is a typed module. With ``layer_names=True`` every expression carries its layer's name as its span, as an importer
of models would leave it; without, the text is byte for byte what TVM prints, whose networks carry no spans.
"""

from .dcgan import dcgan
from .densenet import densenet
from .dqn import dqn
from .inception_v3 import inception_v3
from .lstm import lstm
from .mlp import mlp
from .mobilenet import mobilenet
from .parameters import create_workload, random_parameters
from .resnet import resnet, resnet_3d
from .squeezenet import squeezenet
from .synthetic import synthetic
from .vgg import vgg

__all__ = [
    "create_workload",
    "dcgan",
    "densenet",
    "dqn",
    "inception_v3",
    "lstm",
    "mlp",
    "mobilenet",
    "random_parameters",
    "resnet",
    "resnet_3d",
    "squeezenet",
    "synthetic",
    "vgg",
]
