#!/usr/bin/env bash
# Checks that broken links of a site are found, and makes the site of the documents where MkDocs is installed.
# usage: test_site.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "FAILED: $*"
    exit 1
}

mkdir "$folder/small"
echo '<h1 id="there">A</h1><a href="b.html#no">x</a><a href="none.html">y</a><a href="#there">z</a>' > "$folder/small/a.html"
echo '<a href="a.html#there">x</a><a href="https://example.org/none">y</a>' > "$folder/small/b.html"
if "$source_dir/tools/site.py" check "$folder/small" > "$folder/said" 2>&1; then fail "broken links pass"; fi
diff - "$folder/said" << 'END' || fail "other links than these are broken"
a.html: b.html#no leads to no heading
a.html: none.html leads nowhere
2 pages, 5 links, 2 of them broken
END

# A folder with anything else in it is left alone.
mkdir "$folder/mine"
touch "$folder/mine/letter.txt"
if "$source_dir/tools/site" "$folder/mine" > "$folder/said" 2>&1; then fail "a folder with other files becomes a site"; fi
grep -q 'has files that are no site' "$folder/said" || fail "$(cat "$folder/said")"
[[ -e $folder/mine/letter.txt ]] || fail "a file in the site's folder is lost"

if ! command -v mkdocs > /dev/null; then
    echo "mkdocs is not installed"
    exit 77
fi
"$source_dir/tools/site" "$folder/site"
"$source_dir/tools/site" "$folder/site" # its own site again
for page in index packages algorithms/trees; do
    [[ -s $folder/site/$page.html ]] || fail "the site has no page $page.html"
done
grep -q 'sources/session/session.h.txt' "$folder/site/architecture.html" || fail "links to sources are lost"
