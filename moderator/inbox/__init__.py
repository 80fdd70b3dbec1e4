"""From a raw mail to who wrote it, which match it means, what it orders, and what is answered."""
