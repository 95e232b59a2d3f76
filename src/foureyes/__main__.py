"""`python -m foureyes` is `fe`."""

from foureyes.ui.cli.entry import main

if __name__ == "__main__":
    main()
