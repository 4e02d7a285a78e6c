"""What next, from which host, when: states, politeness, budgets behind one protocol."""
