"""Claude, or any service that speaks its wire format."""
