"""Small widgets that every part of the window uses."""
