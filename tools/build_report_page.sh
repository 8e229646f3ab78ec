#!/bin/sh
# Makes the templates report.html, pages.html and explain.html from web/, in a copy, so that nothing is written beside the sources:
#   build_report_page.sh web build/web build/share/duet/report
# What npm fetches is kept in the copy, and fetched again only where package-lock.json is another one.
set -eu
source=$1 work=$2 output=$3
fail() {
  echo "duet: cannot make the templates of Duet's pages: $1 (the rest is in $work/log)" >&2
  exit 1
}
mkdir -p "$work" "$output"
command -v npm >/dev/null || { : >"$work/log"; fail "npm is missing: run tools/install_dependencies.sh"; }
rm -rf "$work/src"
cp -r "$source/src" "$source/build.mjs" "$source/template.html" "$source/package.json" "$source/.npmrc" "$work"
cd "$work"
if ! cmp -s "$source/package-lock.json" fetched-lock.json; then
  cp "$source/package-lock.json" .
  rm -f fetched-lock.json
  npm ci --ignore-scripts >log 2>&1 || fail "npm ci could not fetch what package-lock.json names; is the npm registry in reach?"
  cp package-lock.json fetched-lock.json
fi
node build.mjs "$output" >log 2>&1 || fail "the bundler found an error: $(grep -m 1 -i error log || true)"
