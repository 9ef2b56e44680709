"""Tests of the local model, with a real engine and a model file that they make."""
