#!/usr/bin/env bash
# The documents name only files that exist, and hold no marks left to be filled in.
# usage: test_docs.sh SOURCE_DIR
set -uo pipefail
cd "$1" || exit 1
failures=0
for document in *.md docs/*.md docs/*/*.md; do
    folder=$(dirname "$document")
    while IFS= read -r link; do
        [[ -e $folder/$link ]] && continue
        echo "FAILED: $document names $link, which is not there"
        failures=$((failures + 1))
    done < <(grep -oE '\]\([^)#]+' "$document" | cut -c3- | grep -v '^[a-z]*:')
    if grep -nE '@[A-Z_]+@' "$document"; then
        echo "FAILED: $document has a mark left"
        failures=$((failures + 1))
    fi
done
((failures == 0)) && echo 'all documents are whole'
exit "$((failures > 0))"
