"""What a page is about: key content, keywords, tag cloud."""
