"""Fusing operators that may run as one kernel, and taking fused functions apart."""
