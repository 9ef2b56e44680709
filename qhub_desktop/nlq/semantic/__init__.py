"""Semantic parsing by candidates: spans, whole plans with their costs, and the choice of one."""
