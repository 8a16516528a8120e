"""What calls of operators become before they can be compiled: legalization and canonicalization."""
