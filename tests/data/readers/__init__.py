"""Files of every format, as their readers give them."""
