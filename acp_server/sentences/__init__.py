"""Every sentence a person reads, one file a room; nowhere else in this package."""
