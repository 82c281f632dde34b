"""The site: the pages of docs, and what is generated beside them from the package itself."""
