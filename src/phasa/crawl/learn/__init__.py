"""What a crawl learns from: features of links, the knowledge base, Bayes classifiers and how they are checked."""
