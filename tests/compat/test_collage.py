"""``relay.transform.CollagePartition`` with an estimator, as scripts for TVM use it."""

from __future__ import annotations

from relay_lsp.compat import tvm
from relay_lsp.compat.tvm import relay


def test_a_pass_takes_targets_and_an_estimator() -> None:
    x = relay.var("x", shape=(1, 4))
    dense = relay.nn.relu(relay.nn.dense(x, relay.var("w", shape=(2, 4))))
    mod = tvm.IRModule.from_expr(dense)
    estimator = relay.collage.MockCostEstimator({"llvm": 2, "dnnl": 1})
    config = {"relay.collage.tvm_max_depth": 8, "relay.collage.byoc_max_depth": 8}
    with tvm.transform.PassContext(config=config):
        mod = relay.transform.CollagePartition(["llvm", "dnnl"], estimator)(mod)
    assert {var.name_hint for var in mod.functions} == {"main", "collage_dnnl_nn_dense_nn_relu"}
