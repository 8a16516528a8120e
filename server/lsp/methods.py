"""The requests of our own, beside those of the protocol; ``docs/protocol.md`` has their parameters and answers."""

from __future__ import annotations

__all__ = [
    "COLOURS",
    "EXPLORE",
    "EXPORT_PIPELINE",
    "FATE",
    "HISTORY",
    "HISTORY_DIFFERENCE",
    "HISTORY_TEXT",
    "IMPORT_MODEL",
    "LAYERS",
    "NEIGHBOUR",
    "PASSES",
    "PREVIEW",
    "PROVENANCE",
]

HISTORY = "relay/history"
HISTORY_TEXT = "relay/historyText"
HISTORY_DIFFERENCE = "relay/historyDifference"
EXPORT_PIPELINE = "relay/exportPipeline"
COLOURS = "relay/colours"
LAYERS = "relay/layers"
NEIGHBOUR = "relay/neighbouringLayer"
PROVENANCE = "relay/provenance"
FATE = "relay/fate"
PASSES = "relay/passes"
PREVIEW = "relay/preview"
IMPORT_MODEL = "relay/importModel"
EXPLORE = "relay/explore"
