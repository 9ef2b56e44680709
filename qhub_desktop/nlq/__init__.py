"""Natural-language questions answered without a model: parsed, planned, executed, written."""
