"""Many machines: Ray actors and tasks. The only place that imports Ray."""
