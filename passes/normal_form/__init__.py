"""A-normal form, basic block normal form and graph normal form."""
