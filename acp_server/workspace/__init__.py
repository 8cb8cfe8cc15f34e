"""The project's files as tools may look at them: where, how much, and what first needs the person's word."""
