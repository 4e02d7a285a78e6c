"""How the shipped model is made. Nothing here is imported when a language is detected."""
