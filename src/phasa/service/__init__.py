"""The web application over one collection: pages, JSON API, events and metrics (docs/service.md)."""
