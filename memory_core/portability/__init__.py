"""The memory on its way: exported to a file, imported from one, or from folders of Markdown."""
