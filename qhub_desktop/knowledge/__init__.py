"""Documents of the plant: read, parted into passages, found by words and by meaning."""
