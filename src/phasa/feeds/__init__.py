"""When a feed posts, when to poll it, and the daemon that does."""
