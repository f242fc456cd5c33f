"""The language between arena and bots: JSON lines, version 1. Knows nothing of the rules."""
