"""Where one name stands: ranges that are numbers until they are asked for."""

import numpy as np

from relay_lsp.ir.text.span_array import SpanArray
from relay_lsp.ir.text.text_span import TextSpan


def test_places_are_a_sequence_of_ranges():
    places = SpanArray.of([(10, np.array([0, 5])), (30, np.array([1]))], 2)
    assert list(places) == [TextSpan(10, 12), TextSpan(15, 17), TextSpan(31, 33)]
    assert places == list(places)
    assert len(places) == 3
    assert places[1] == TextSpan(15, 17)
    assert places[-1] == TextSpan(31, 33)
    assert TextSpan(15, 17) in places
    assert places[1:] == [TextSpan(15, 17), TextSpan(31, 33)]


def test_a_place_more_or_less_keeps_their_order():
    places = SpanArray(np.array([10, 20]), 2)
    assert [span.start for span in places.with_start(15)] == [10, 15, 20]
    assert [span.start for span in places.without_start(10)] == [20]
    assert [span.start for span in places.without_start(11)] == [10, 20]


def test_others_of_any_length_are_put_among_them():
    places = SpanArray(np.array([10, 20]), 2)
    assert places.merged([TextSpan(15, 17)]) == [TextSpan(10, 12), TextSpan(15, 17), TextSpan(20, 22)]
    assert places.merged([TextSpan(15, 18)]) == [TextSpan(10, 12), TextSpan(15, 18), TextSpan(20, 22)]
    assert not SpanArray.of([], 3).merged([])
