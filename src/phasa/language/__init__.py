"""What a language is, whether a text is in it, and where its words are. Knows nothing of crawling."""
