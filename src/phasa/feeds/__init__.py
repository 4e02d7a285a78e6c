"""When a feed posts, when to poll it, and the daemon that does."""

import logging

# Quiet unless whoever runs us wants to hear: without a handler Python prints warnings to standard error.
logging.getLogger(__name__).addHandler(logging.NullHandler())
