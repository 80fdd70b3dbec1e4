#!/bin/sh
# Plays any game: the legal move with the most points, which is the first of the list.
while read -r line; do
    printf '%s\n' "$(printf '%s' "$line" | sed -n 's/.*"legal":\[{"move":"\([^"]*\)".*/\1/p')"
done
