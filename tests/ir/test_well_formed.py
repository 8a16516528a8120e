"""Variables are bound once and used in scope."""

from __future__ import annotations

from relay_lsp.ir.expressions import Expr, Function, Let, Tuple, Var
from relay_lsp.ir.well_formed import check_well_formed


def codes(expr: Expr) -> list[str]:
    return [diagnostic.code for diagnostic in check_well_formed(expr)]


def test_free_variables_are_allowed() -> None:
    assert codes(Tuple((Var("x"),))) == []


def test_a_shared_function_binds_once() -> None:
    x = Var("x")
    function = Function((x,), x)
    assert codes(Tuple((function, function))) == []


def test_bound_twice() -> None:
    x = Var("x")
    assert codes(Let(x, Tuple(()), Let(x, Tuple(()), x))) == ["variable-bound-twice"]


def test_used_outside_of_its_function() -> None:
    x = Var("x")
    assert codes(Tuple((Function((x,), x), x))) == ["variable-out-of-scope"]


def test_used_before_it_is_bound() -> None:
    x = Var("x")
    assert codes(Tuple((x, Function((x,), x)))) == ["variable-out-of-scope"]


def test_a_function_may_use_its_own_name() -> None:
    loop = Var("loop")
    assert codes(Let(loop, Function((), loop), loop)) == []


def test_ten_thousand_nested_functions() -> None:
    body: Expr = Tuple(())
    for index in range(10_000):
        body = Function((Var(f"x{index}"),), body)
    assert codes(body) == []
