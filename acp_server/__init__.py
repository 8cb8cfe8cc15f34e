"""The agent: a stdio server of the Agent Client Protocol that remembers a project."""

__version__ = "0.1.0"
