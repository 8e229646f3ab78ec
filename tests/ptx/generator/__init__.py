"""Generator of the PTX instruction tests; see ../generate.py."""
