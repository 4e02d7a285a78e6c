"""The frontier: what next, from which host, when, and what must never be forgotten. Start with `protocol`.

    protocol        the values and the promises; another storage is written from it alone
    rules           what may wait and be fetched: scope, traps, budgets, politeness
    memory          the frontier in memory, for the lab (with memory_queues)
    sqlite          the frontier of a collection, in one file: what is done, in which order, in which transaction
    offer_batch     offers that are taken in together
    transitions     the changes of state of known URLs
    schedule        whose turn it is: hosts and server addresses
    outbox          what a commit leaves for the crawl log, and for the next start
    inbox           what several workers pass to each other
    tables          the rows of hosts and URLs; all of their SQL
    database        the file: tables, connection, transactions
    index           which URLs are known, and what waits at each host

Where the SQLite frontier keeps the priority of a waiting URL, each place filled from the one before it:

    url.priority    the truth (`tables`)
    UrlIndex        the order within a host (`index`)
    host.rank       the best of each host (`tables`; better ones are written behind)
    HostSchedule    the best of each host in memory (`schedule`)
    RecentOffers    a cache of lower bounds, which answers offers without a look at the file (`offer_batch`)
"""
