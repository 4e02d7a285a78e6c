"""`python -m phasa` is the `phasa` command."""

from phasa.cli import main

main()
