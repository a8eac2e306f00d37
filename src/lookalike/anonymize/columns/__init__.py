"""A column as methods see it: on an axis, in groups, with distances."""
