"""Dashboards in the window: the list, one on its own, the wall, and how one comes on paper."""
