"""The texts a model reads, one file each."""
