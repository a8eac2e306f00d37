"""An original beside its release on paper: what is kept, what is given away."""
