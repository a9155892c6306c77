# check NAME COMMAND...: runs it and counts its result. finish NAME writes the counts to WORK/NAME.xml, and
# fails if a check did.
passed=0
failed=0
skipped=0
cases=""

unavailable() {
  echo "skipped: $1" >&2
  exit 77
}

check() {
  local name=$1 log=$work/check.log
  shift
  if "$@" >"$log" 2>&1 </dev/null; then
    passed=$((passed + 1))
    echo "ok      $name"
    cases+="  <testcase name=\"$name\" status=\"run\"/>"$'\n'
  else
    failed=$((failed + 1))
    echo "FAILED  $name"
    sed 's/^/        /' "$log" | tail -n 25
    cases+="  <testcase name=\"$name\" status=\"fail\"/>"$'\n'
  fi
}

# skip NAME REASON: what this machine lacks for it.
skip() {
  skipped=$((skipped + 1))
  echo "skipped $1: $2"
  cases+="  <testcase name=\"$1\" status=\"notrun\"/>"$'\n'
}

finish() {
  printf '<testsuite tests="%d" failures="%d" disabled="0" skipped="%d">\n%s</testsuite>\n' \
    $((passed + failed + skipped)) $failed $skipped "$cases" >"$work/$1.xml"
  echo "$passed passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
  [ $failed -eq 0 ] && [ $passed -gt 0 ]
}

# equal WHAT EXPECTED ACTUAL
equal() {
  [ "$2" = "$3" ] && return 0
  echo "$1: expected '$2', not '$3'"
  return 1
}

# until_true SECONDS COMMAND...: waits for it to succeed.
until_true() {
  local end=$((SECONDS + $1))
  shift
  while ! "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { echo "in vain: $*"; return 1; }
    sleep 0.05
  done
}
