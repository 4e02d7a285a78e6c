"""Every parser of what others give, fed with damaged input without end (`python -m tests.fuzz --help`)."""
