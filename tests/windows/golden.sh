# The golden tests: recordings are written, hindsight.exe is run on them as a user would, and what it prints is
# compared with what it prints on Linux, byte by byte.

golden_program() {
  in_wine "$source" wine "$build/tests/golden/$1.exe" --gtest_brief=1
}

check_golden() {
  local name
  # Windows programs have their temporary folder from the registry; this one is on Z:.
  wine_environment=('TEST_TMPDIR=Z:\tmp')
  for name in golden_test check_golden_test diff_golden_test fleet_golden_test heap_golden_test wait_golden_test \
    schema_test; do
    check "windows: $name" golden_program $name
  done
  wine_environment=()
}
