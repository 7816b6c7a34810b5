#!/usr/bin/env bash
# Every subcommand ends its help with examples, and they are what it understands. Usage: examples.sh BIN SOURCE TMP, with BIN
# first on the PATH. Examples that need an interpreter with torch, graphs, which no worker of tests keeps, or a
# file of the reader's are only parsed.
set -u
export PATH="$1:$PATH" XDG_CACHE_HOME="$3/cache" ORDERCHECK_WORKER="$1/honest_worker"
unset ORDERCHECK_PYTHON
readonly scratch=$3
cd "$2" || exit 1

subcommands() { ordercheck "$@" --help | sed -nE 's/^  ([a-z]+) {2,}[A-Z].*/\1/p'; }
wrong=0
tell() { echo "$*"; wrong=1; }

seen=0
look_at() {
  local examples
  examples=$(ordercheck "$@" --help | sed -nE '/^Examples?:$/,$ s/^  (ordercheck .*)/\1/p')
  [[ -n $examples ]] || tell "ordercheck $*: no example at the end of its help"
  while IFS= read -r example; do
    [[ -n $example ]] || continue
    seen=$((seen + 1))
    [[ $example == "ordercheck ${*}"* ]] || tell "ordercheck $*: the example is about something else: $example"
    local output code
    # What an example writes is not left in the sources.
    [[ $example != "ordercheck init" ]] || example="cd $scratch && $example"
    output=$(bash -c "$(sed -E "s|--out ([^/ ]+)|--out $scratch/\1|" <<< "$example")" 2>&1 < /dev/null); code=$?
    [[ $output != *"--help shows the usage"* ]] || tell "$example: $output"
    case $example in
      *--python*|"ordercheck graph "*|"ordercheck plan "*|"ordercheck import "*|*--error*|"ordercheck doctor"*|"ordercheck record "*) ;;
      *) [[ $code -le 1 ]] || tell "$example: exit $code: $(tail -1 <<< "$output")" ;;
    esac
  done <<< "$examples"
}

for one in $(subcommands); do
  look_at "$one"
  for inner in $(subcommands "$one"); do look_at "$one" "$inner"; done
done
[[ $seen -ge 20 ]] || tell "only $seen examples were found: the help is not read as it is written"
echo "looked at the examples"
exit $wrong
