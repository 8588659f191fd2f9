#!/usr/bin/env bash
# Do golden cases fare worse with the documents and settings of this checkout than with those of the baseline?
#
#   evaluate.sh                 exits with 1 and a list when a case got worse
#   evaluate.sh --accept        writes the baseline anew: commit it with what made the difference
#
# DOCS      what is ingested, blanks between           (docs)
# CASES     labelled questions                         (golden.jsonl)
# BASELINE  saved results to compare with              (golden.baseline.json)
# SETTINGS  settings files, blanks between; given two, the second is compared with the first, and no baseline is needed
# ALLOW     so many cases may get worse                (0)
# FIRSTLINE the command                                (firstline)
set -euo pipefail

DOCS=${DOCS:-docs} CASES=${CASES:-golden.jsonl} BASELINE=${BASELINE:-golden.baseline.json}
SETTINGS=${SETTINGS:-} ALLOW=${ALLOW:-0} FIRSTLINE=${FIRSTLINE:-firstline}
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
chmod 711 "$data" # the embedded Postgres, started by root, runs as another user

settings=()
for file in $SETTINGS; do settings+=(--settings "$file"); done

# shellcheck disable=SC2086 - several paths
"$FIRSTLINE" --data "$data/kb" ingest $DOCS --quiet

if [[ ${1:-} == --accept ]]; then
  "$FIRSTLINE" --data "$data/kb" eval "$CASES" "${settings[@]}" --save "$BASELINE"
  echo "The baseline is $BASELINE now: commit it."
elif ((${#settings[@]} > 2)); then
  "$FIRSTLINE" --data "$data/kb" eval "$CASES" "${settings[@]}" --fail-on-regression --allow "$ALLOW"
elif [[ ! -f $BASELINE ]]; then
  echo "There is no baseline at $BASELINE: make one with \`$0 --accept\`, and commit it." >&2
  exit 2
else
  "$FIRSTLINE" --data "$data/kb" eval "$CASES" "${settings[@]}" \
    --baseline "$BASELINE" --fail-on-regression --allow "$ALLOW"
fi
