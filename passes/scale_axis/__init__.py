"""Moving scales along an axis from one operator into another."""
