"""What the user lets the program remember."""
