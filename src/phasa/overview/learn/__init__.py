"""How the weights of the default extractor are made and checked: `python -m phasa.overview.learn --data FOLDER`.

Nothing here is imported when a page is extracted.
"""
