# The golden tests: recordings are written, hindsight.exe is run on them as a user would, and what it prints is
# compared with what it prints on Linux, byte by byte.

test_program() {
  in_wine "$source" wine "$build/tests/$1.exe" --gtest_brief=1
}

check_golden() {
  local name
  # Windows programs get their temporary folder from the registry; this one is on Z:.
  wine_environment=('TEST_TMPDIR=Z:\tmp')
  for name in golden_test check_golden_test diff_golden_test fleet_golden_test heap_golden_test wait_golden_test \
    schema_test; do
    check "windows: $name" test_program golden/$name
  done
  wine_environment=()
}

# The unit tests that need nothing of the system.
check_unit() {
  local program name
  wine_environment=('TEST_TMPDIR=Z:\tmp')
  for program in "$build"/tests/unit/{recorder,analyzer}/*_test.exe; do
    name=${program#"$build/tests/"}
    name=${name%.exe}
    check "windows: ${name##*/}" test_program "$name"
  done
  wine_environment=()
}
