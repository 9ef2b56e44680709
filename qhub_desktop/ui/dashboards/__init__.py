"""Windows of dashboards: the list, a single dashboard, the wall; and their printing."""
