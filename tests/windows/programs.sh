# The programs themselves: how they handle arguments and output on Windows.

hindsight() {
  in_wine "$source" wine "$build/analyzer/hindsight.exe" "$@"
}

# No carriage returns, which a text stream on Windows would add.
prints_bytes() {
  hindsight --help >"$work/help" || return 1
  [ -s "$work/help" ] && ! grep -q $'\r' "$work/help"
}

# Names that no code page covers, in UTF-16 on the way in and in UTF-8 on the way out.
tells_names() {
  local told
  told=$(hindsight info 'C:\Läden\商店.hindsight' 2>&1)
  equal code 2 $? && equal sentence "hindsight: Cannot open C:\\Läden\\商店.hindsight: No such file or directory; give a recording's folder (*.hindsight) or one of its files (*.hsr)." "$told"
}

# Third-party programs, which are not started on Windows: the message says what to do instead.
tells_what_does_it_instead() {
  local told
  told=$(hindsight export 'C:\no.hindsight' --to postgresql://hindsight@db/observability 2>&1)
  equal code 2 $? && [[ "$told" == *"cannot be started from here on Windows. Instead, write the tables with --format csv"* ]] ||
    { echo "$told"; return 1; }
  told=$(hindsight export 'C:\no.hindsight' --format parquet -o lake 2>&1)
  equal code 2 $? && [[ "$told" == *"duckdb, which cannot be started from here on Windows. Instead, write"* ]] ||
    { echo "$told"; return 1; }
}

usual_folder() {
  local told
  told=$(hindsight list 2>&1)
  [[ "$told" == *'\AppData\Local\Hindsight\recordings'* ]] || { echo "$told"; return 1; }
}

check_programs() {
  check "windows: hindsight.exe needs nothing" needs_only "$build/analyzer/hindsight.exe" "$hindsight_needs"
  check "windows: output is bytes" prints_bytes
  check "windows: names in UTF-16" tells_names
  check "windows: the usual folder" usual_folder
  check "windows: exports that need programs of others" tells_what_does_it_instead
}
