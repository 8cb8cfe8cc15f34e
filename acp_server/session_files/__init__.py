"""Sessions on disk: what a session file holds, how it grows, and what a load makes of it."""
