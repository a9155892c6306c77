# The cache of what is built for Windows: outside the build, since it takes minutes and depends only on Debian.
. "$(dirname "${BASH_SOURCE[0]}")/../../.ci/requirements.sh"
cache=$(windows_cache)
mkdir -p "$cache" && cache=$(cd "$cache" && pwd) || exit 1
libraries=$cache/x64
mirror=${HINDSIGHT_DEBIAN:-http://deb.debian.org/debian}

# made NAME COMMAND...: runs it once, into a log, and notes that it was done.
made() {
  local name=$1
  shift
  [ -e "$cache/$name.made" ] && return 0
  printf '%s ' "$name"
  if "$@" >"$cache/$name.log" 2>&1 </dev/null; then
    echo "(made)"
    touch "$cache/$name.made"
    return 0
  fi
  echo "(failed: $cache/$name.log)"
  tail -n 15 "$cache/$name.log" | sed 's/^/    /'
  return 1
}
