"""What ``LambdaLift`` calls the functions that it makes, and when two are one."""

from __future__ import annotations

from relay_lsp.ir.evaluation import evaluate
from relay_lsp.ir.printing import to_text
from relay_lsp.passes import create
from tests.passes.modules import assert_same, read, typed


def lifted(text):
    module = typed(read(text))
    after = typed(create("LambdaLift")(module))
    return module, after, [var.name_hint for var in after if var.name_hint.startswith("lifted_name")]


def test_functions_alike_are_lifted_once():
    _, _, names = lifted(
        """
        def @main(%x: float32) -> float32 {
          let %f = fn (%y: float32) -> float32 { add(%y, %y) };
          let %g = fn (%z: float32) -> float32 { add(%z, %z) };
          add(%f(%x), %g(%x))
        }
        """
    )
    assert len(names) == 1


def test_functions_alike_that_capture_other_variables_are_lifted_each():
    module, after, names = lifted(
        """
        def @main(%x: float32, %u: float32, %v: float32) -> float32 {
          let %f = fn (%y: float32) -> float32 { subtract(%y, %u) };
          let %g = fn (%y: float32) -> float32 { subtract(%y, %v) };
          add(%f(%x), %g(%x))
        }
        """
    )
    assert len(names) == 2
    assert evaluate(module, 5.0, 2.0, 1.0) == evaluate(after, 5.0, 2.0, 1.0)


def test_functions_alike_around_closures_are_lifted_each():
    """The closures capture a parameter of each, so they have names of their own, and so the functions differ."""
    module, after, names = lifted(
        """
        def @main(%x: float32) -> float32 {
          let %f = fn (%y: float32) -> float32 {
            let %inner = fn (%z: float32) -> float32 { add(%z, %y) };
            %inner(%y)
          };
          let %g = fn (%y: float32) -> float32 {
            let %inner = fn (%z: float32) -> float32 { add(%z, %y) };
            %inner(%y)
          };
          add(%f(%x), %g(%x))
        }
        """
    )
    assert len(names) == 4
    assert evaluate(module, 3.0) == evaluate(after, 3.0)


def test_a_function_that_calls_itself_calls_its_lifted_name():
    module, after, names = lifted(
        """
        def @main(%x: float32) -> float32 {
          let %down = fn (%y: float32) -> float32 {
            if (less(%y, 1f)) { %y } else { %down(subtract(%y, 1f)) }
          };
          %down(%x)
        }
        """
    )
    assert len(names) == 1
    assert evaluate(module, 4.5) == evaluate(after, 4.5)


def test_a_closure_that_was_lifted_stays_as_it_is():
    module, once, _ = lifted(
        """
        def @main(%x: float32, %b: float32) -> float32 {
          let %f = fn (%y: float32) -> float32 { add(%y, %b) };
          %f(%x)
        }
        """
    )
    twice = typed(create("LambdaLift")(once))
    assert_same(twice, once)
    assert evaluate(twice, 2.0, 3.0) == evaluate(module, 2.0, 3.0)


def test_a_closure_of_a_generic_function_has_type_variables_of_its_own():
    module, after, (name,) = lifted(
        """
        def @twice[A](%f: fn (A) -> A) -> fn (A) -> A {
          fn (%x: A) -> A { %f(%f(%x)) }
        }

        def @square(%x: float32) -> float32 { multiply(%x, %x) }

        def @main(%x: float32) -> float32 {
          let %g = @twice(@square);
          %g(%x)
        }
        """
    )
    assert not set(after[name].type_params) & set(after["twice"].type_params)
    assert_same(after, read(to_text(after).partition("\n")[2]))
    assert evaluate(module, 0.5) == evaluate(after, 0.5)
