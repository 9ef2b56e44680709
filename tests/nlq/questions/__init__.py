"""What operators ask: questions over plant data, each with its plan and its answer by pandas."""
