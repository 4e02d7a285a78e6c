"""`make demo`: everything that phasa does, on a web that is made and served on this machine."""
