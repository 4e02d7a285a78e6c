"""The index of a frontier: which URLs are known, and what waits at each host, best first.

A log-structured merge index inside frontier.db. New URLs are indexed in memory (the memtable); from time to time the
memtable is merged into the two index tables of the file, in their own order and many entries to a row. The URL table
is the truth: after a crash the index is completed from the rows beyond the last merge (`UrlIndex.recover`).

    memtable     entries added since the last merge: a hash level and two sorted runs
    run          sorted arrays of keys, ids and ranks
    tables       in the file: key → id behind a Bloom filter, and posting lists of the waiting URLs of each host
    url_index    all of them as one
    queue_index  what is asked of it, also where the index is PostgreSQL's

Everybody else imports from here and from nowhere below.
"""

from __future__ import annotations

from phasa.frontier.index.queue_index import QueueIndex as QueueIndex
from phasa.frontier.index.run import HASH_BITS as HASH_BITS
from phasa.frontier.index.run import Head as Head
from phasa.frontier.index.run import NewUrl as NewUrl
from phasa.frontier.index.run import RankChange as RankChange
from phasa.frontier.index.url_index import SCHEMA as SCHEMA
from phasa.frontier.index.url_index import IndexOptions as IndexOptions
from phasa.frontier.index.url_index import UrlIndex as UrlIndex
from phasa.frontier.index.url_index import ids_of_host as ids_of_host
from phasa.frontier.index.url_index import ids_of_key as ids_of_key
from phasa.frontier.index.url_index import next_key as next_key
from phasa.frontier.index.url_index import url_hash as url_hash
from phasa.frontier.index.url_index import url_keys as url_keys
