"""Speed, measured beside a yardstick; run by `make bench`."""
