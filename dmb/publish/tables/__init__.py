"""One module per kind of table: a release goes in, a neutral ``Table`` comes out."""
