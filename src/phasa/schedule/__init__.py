"""When a request is worth it: change rates, the value of a visit, one price, one budget (research/fresh.md)."""
