"""Classes of attributes: frozen values, and dataclasses to the standard library."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from relay_lsp.ir.ops.nn.activation import LeakyReluAttrs
from relay_lsp.ir.ops.nn.pooling_attributes import MaxPool1DAttrs, MaxPool2DAttrs


def test_equal_attributes_are_equal_values():
    assert MaxPool2DAttrs(pool_size=(2, 2)) == MaxPool2DAttrs(pool_size=(2, 2), strides=(1, 1))
    assert MaxPool2DAttrs(pool_size=(2, 2)) != MaxPool2DAttrs(pool_size=(3, 3))
    assert len({MaxPool2DAttrs(pool_size=(2, 2)), MaxPool2DAttrs(pool_size=(2, 2))}) == 1
    assert LeakyReluAttrs(alpha=0.5) == LeakyReluAttrs(alpha=0.5)


def test_a_class_keeps_the_order_of_its_base_and_changes_a_default():
    assert list(MaxPool1DAttrs.fields()) == list(MaxPool2DAttrs.fields())
    assert MaxPool1DAttrs(pool_size=(2,)).strides == (1,)


def test_attributes_cannot_be_changed():
    attrs = LeakyReluAttrs(alpha=0.5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        attrs.alpha = 1.0  # pyright: ignore[reportAttributeAccessIssue]
    assert attrs.replace(alpha=1.0).alpha == 1.0
    assert attrs.alpha == 0.5


def test_missing_and_unknown_attributes_are_refused():
    with pytest.raises(TypeError, match="missing the attribute 'pool_size'"):
        MaxPool2DAttrs()  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError, match="no attribute 'beta'"):
        LeakyReluAttrs(alpha=0.5, beta=1)  # pyright: ignore[reportCallIssue]


def test_the_standard_library_takes_them_for_dataclasses():
    attrs = MaxPool2DAttrs(pool_size=(2, 2))
    assert [field.name for field in dataclasses.fields(attrs)] == list(MaxPool2DAttrs.fields())
    assert dataclasses.replace(attrs, ceil_mode=True) == MaxPool2DAttrs(pool_size=(2, 2), ceil_mode=True)
    assert dataclasses.asdict(attrs)["layout"] == "NCHW"


def test_they_can_be_pickled():
    attrs = MaxPool2DAttrs(pool_size=(2, 2))
    assert pickle.loads(pickle.dumps(attrs)) == attrs
