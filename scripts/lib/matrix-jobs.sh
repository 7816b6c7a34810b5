#!/usr/bin/env bash
# scripts/lib/matrix-jobs.sh ORDERCHECK: a part of the native matrix as a CI runs it: each shard by itself, merged in
# the other order, and the pages held against what the merge gives. Writes nothing in the checkout.
set -euo pipefail
ordercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
selection=(--engine native --tier smoke)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$root"/{rules,matrix,report_templates,docs,README.md} "$folder/"

parts=()
for shard in 1/2 2/2; do
  part=$folder/part-${shard%/*}.tsv
  # Whether it went well says the merge: a part may lack the other half of what a rule compares.
  "$ordercheck" matrix run "${selection[@]}" --rules "$folder/rules" --fresh --journal "$folder/${shard%/*}.journal" \
    --shard "$shard" --out "$part" >"$folder/log" || (($? == 1 || $? == 3)) || { cat "$folder/log"; exit 1; }
  parts=("$part" "${parts[@]}")
done
"$ordercheck" matrix merge "${parts[@]}" --rules "$folder/rules" --into "$folder/matrix/evidence"
"$ordercheck" docs --check --root "$folder"
