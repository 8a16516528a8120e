"""``relay.quantize`` as scripts for TVM use it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relay_lsp.compat import tvm
from relay_lsp.compat.tvm import relay
from relay_lsp.ir.evaluation import evaluate


def network() -> Any:
    data = relay.var("data", shape=(1, 4, 8, 8))
    conv = relay.nn.conv2d(data, relay.var("weight"), kernel_size=(3, 3), padding=(1, 1), channels=4)
    return relay.testing.create_workload(relay.Function([*relay.analysis.free_vars(conv)], relay.nn.relu(conv)))


def test_a_network_is_quantised_as_its_configuration_says():
    mod, params = network()
    with relay.quantize.qconfig(skip_conv_layers=[], partition_conversions="enabled") as config:
        assert relay.quantize.current_qconfig() is config
        qmod = relay.quantize.quantize(mod, params)
    assert {var.name_hint for var in qmod.get_global_vars()} >= {"main", "quantized_main"}


def test_the_steps_are_passes_that_ask_for_the_configuration_when_they_run():
    mod, params = network()
    mod = relay.quantize.prerequisite_optimize(mod, params)
    data = [{"data": np.random.default_rng(0).random((1, 4, 8, 8), np.float32)}]
    calibrate = tvm.transform.module_pass(relay.quantize.calibrate(data), opt_level=1, name="QuantizeCalibrate")
    steps = [relay.quantize.partition(), relay.quantize.annotate(), calibrate, relay.transform.InferType()]
    sequence = tvm.transform.Sequential([*steps, relay.quantize.realize(), relay.transform.FoldConstant()])
    with relay.quantize.qconfig(skip_conv_layers=[], calibrate_mode="percentile"), relay.quantize.quantize_context():
        qmod: Any = sequence(mod)
    assert 'out_dtype="int32"' in qmod.astext(show_meta_data=False)
    got: Any = evaluate(qmod, data[0]["data"])
    wanted: Any = evaluate(relay.quantize.prerequisite_optimize(mod), data[0]["data"])
    assert np.abs(got - wanted).max() < 0.2 * np.abs(wanted).max()


def test_an_option_that_tvm_does_not_know_changes_nothing_but_gives_a_warning():
    with pytest.warns(UserWarning, match="no option skip_dense_layers"):
        config = relay.quantize.qconfig(skip_dense_layers=False)
    assert config == relay.quantize.qconfig()
