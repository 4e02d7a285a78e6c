"""The frontier in PostgreSQL: for fleets of workers on many machines, and for one process as well.

Nothing outside imports psycopg, and this package is imported only where a collection names a server
(`phasa.frontiers`). The rows are those of frontier.db, so that a frontier can be moved from one to the other.

    address     the address of a server as the settings give it, and what is said when it does not answer
    schema      the tables, and how those of an older phasa are brought up to date
    database    the connection: statements, transactions that are refused when the worker is taken for lost
    members     the workers and their shards: who owns which sites, until when
    tables      hosts, URLs and revisits, where PostgreSQL's words differ from SQLite's
    inbox       links for the sites of others, and server addresses that all share
    frontier    all of it as one
    reader      questions from outside the crawl
    fleet_rows  what a fleet keeps here: which one it is, how many workers it wants, what strategies learned
    move        a frontier from frontier.db to a server and back
"""
