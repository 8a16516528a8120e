"""Operators for object detection."""

from . import multibox, region, suppression, yolo

__all__ = ["multibox", "region", "suppression", "yolo"]
