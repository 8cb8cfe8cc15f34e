"""The protocols that models' servers speak: bodies of requests out of values, events out of streams. Pure."""
