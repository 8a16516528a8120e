"""Operators for object detection."""

from . import multibox, proposal, region, suppression, yolo

__all__ = ["multibox", "proposal", "region", "suppression", "yolo"]
