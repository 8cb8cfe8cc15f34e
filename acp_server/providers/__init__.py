"""What models are asked through: one interface, one file a provider."""
