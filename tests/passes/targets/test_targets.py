"""Targets as text, and what follows from it."""

from __future__ import annotations

import pytest

from relay_lsp.ir import to_text
from relay_lsp.passes import optimize
from relay_lsp.passes.targets import (
    Target,
    TargetError,
    TargetKind,
    current_target,
    register_processor,
    register_target_kind,
)
from tests.passes.modules import read


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("llvm", ("cpu",)),
        ("llvm -mcpu=skylake-avx512", ("cpu",)),
        ("llvm -device=arm_cpu", ("arm_cpu", "cpu")),
        ("llvm -mtriple=aarch64-linux-gnu", ("cpu", "arm_cpu")),
        ("arm_cpu", ("arm_cpu", "cpu")),
        ("cuda", ("cuda", "gpu")),
        ("cuda -keys=tensorcore", ("tensorcore", "cuda", "gpu")),
        ("stackvm", ()),
    ],
)
def test_rules_are_found_under_the_keys_of_a_target(text, keys):
    assert Target.parse(text).keys == keys


def test_attributes_have_the_types_and_defaults_of_their_kind():
    target = Target.parse("cuda -arch=sm_80 -max_num_threads=512 -libs=cudnn,cublas")
    expected = {"arch": "sm_80", "libs": ("cudnn", "cublas"), "max_num_threads": 512, "thread_warp_size": 32}
    assert target.attributes == expected
    assert str(Target.parse("llvm -mcpu=core-avx2")) == "llvm -keys=cpu -mcpu=core-avx2"


def test_an_arm_processor_has_features():
    assert Target.parse("llvm -mtriple=aarch64-linux-gnu -mattr=+v8.2a,+dotprod").features == {
        "is_aarch64": True,
        "has_asimd": True,
        "has_dotprod": True,
        "has_matmul_i8": False,
    }
    assert Target.parse("llvm -mtriple=armv7m-none-eabi -mcpu=cortex-m7").features == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lvm", "no target 'lvm'; did you mean llvm"),
        ("", "no target ''; there are aocl|no target ''; there are arm_cpu"),
        ("llvm -mcpuu=a", "no attribute 'mcpuu'; did you mean mcpu"),
        ("llvm mcpu=a", "written -name=value"),
        ("llvm -num-cores=many", "takes a number"),
        ("llvm -num-cores=--5", "takes a number, not '--5'"),
        ("llvm -num-cores=" + "9" * 5000, "takes a number"),
        ('llvm -mcpu="core-avx2', "a quote in the target .* is not closed"),
        ("llvm -mcpu=skylake-avx51", "no processor is called 'skylake-avx51'; did you mean skylake-avx512"),
        (
            "llvm -mcpu=my-own-one",
            "write it as LLVM does, such as core-avx2 .register_processor makes a newer one known",
        ),
        ("llvm -mcpu=", "no processor is called ''"),
    ],
)
def test_what_is_no_target_is_refused_with_what_was_meant(text, message):
    with pytest.raises(TargetError, match=message):
        Target.parse(text)


def test_a_target_is_current_inside_of_with():
    assert current_target() is None
    with Target.parse("llvm") as outer:
        with Target.parse("cuda") as inner:
            assert current_target() is inner
        assert current_target() is outer
    assert current_target() is None


def test_a_kind_of_ones_own_is_a_few_lines():
    register_target_kind(TargetKind("my_accelerator", 12, ("my_accelerator", "cpu"), {"lanes": int}, {"lanes": 8}))
    assert Target.parse("my_accelerator -lanes=16").attributes == {"lanes": 16}
    with pytest.raises(ValueError, match="already"):
        register_target_kind(TargetKind("my_accelerator", 1))


def test_a_build_for_a_kind_of_ones_own():
    register_target_kind(TargetKind("an_accelerator", 12, ("an_accelerator",)))
    built = optimize(read("def @main(%x: Tensor[(4), float32]) { nn.relu(%x) }"), target="an_accelerator")
    assert "an_accelerator" in to_text(built)


def test_an_attribute_that_a_kind_of_ones_own_lacks_is_refused_with_those_that_it_has():
    register_target_kind(TargetKind("plain_accelerator", 12))
    with pytest.raises(TargetError, match="no attribute 'lanes'; it takes device, from_device, keys"):
        Target.parse("plain_accelerator -lanes=16")


@pytest.mark.parametrize(
    "target",
    [
        *(f"llvm -mcpu={name}" for name in ("native", "znver5", "cortex-a78ae", "neoverse-v2", "apple-m4", "power10")),
        *(f"llvm -mtriple=riscv64 -mcpu={name}" for name in ("sifive-u74", "generic-rv64")),
        "c -mcpu=cortex-m55",
        "hexagon -mcpu=hexagonv68",
        "nvptx -mcpu=sm_90a",
        "rocm -mcpu=gfx90a",
    ],
)
def test_processors_are_known_by_their_family(target: str) -> None:
    assert Target.parse(target).text("mcpu") == target.rpartition("=")[2]


def test_a_processor_can_be_made_known() -> None:
    register_processor("one-of-mine")
    assert Target.parse("llvm -mcpu=one-of-mine").text("mcpu") == "one-of-mine"
