#!/bin/sh
# link.sh FOLDER COMMAND...: runs the link of libhindsight.so, and prints what to do about a symbol that
# is not in FOLDER/symbols.txt.
folder=$1
shift
errors=$("$@" 2>&1)
code=$?
[ -n "$errors" ] && printf '%s\n' "$errors" >&2
if [ $code -ne 0 ]; then
  missing=$(printf '%s\n' "$errors" | sed -n "s/.*undefined reference to [\`']\([A-Za-z0-9_]*\).*/\1/p" | sort -u)
  for symbol in $missing; do
    echo "libhindsight.so: $symbol is not in $folder/symbols.txt. Add it if glibc 2.17 and musl have it;" \
      "else supply it in compat.cc there." >&2
  done
fi
exit $code
