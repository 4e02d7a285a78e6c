"""A fleet: the same crawl by workers on many machines, as actors of a Ray cluster on one PostgreSQL frontier.

Nothing else imports Ray. It places and restarts; who owns which sites, who lives, and what is done is said by the
frontier alone, so nothing is lost with any process of Ray's.

    cluster      joins a running cluster, or starts one on this machine
    bundle       what a machine needs of a collection, sent to it
    job          one worker's task, and the process that does it
    worker       the actor that keeps such a process running
    supervisor   the actor that keeps the workers running
    fleet        start, status, scale, stop
    batch        files and worlds as tasks: --cluster
"""
