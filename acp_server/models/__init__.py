"""Models: what they are called, where they are reached, what they cost, and which one does which job."""
