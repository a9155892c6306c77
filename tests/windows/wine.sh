# A root with wine 10, Debian 13's: wine 8 hangs with .NET 8 and loses .NET 10.
wine_root=$cache/wine

# make_wine FOLDER: FOLDER is the one that contains these scripts.
make_wine() {
  made wine mmdebstrap --variant=minbase --include=wine,wine64,libwine trixie "$wine_root" "$mirror" &&
    made wine-prefix unshare --mount --propagation private bash -c ". '$1/cache.sh'; . '$1/wine.sh'; make_prefix"
}

# enter_wine FOLDER...: mounts what wine needs into its root, and the folders at the same paths as outside, for
# the rest of this process, which must have a mount namespace of its own.
enter_wine() {
  local folder
  mkdir -p "$wine_root/h" && for folder in proc dev sys; do
    mountpoint -q "$wine_root/$folder" || mount --rbind "/$folder" "$wine_root/$folder" || return 1
  done
  for folder in "$@"; do
    mkdir -p "$wine_root$folder" && mount --rbind "$folder" "$wine_root$folder" || return 1
  done
}

# in_wine FOLDER COMMAND...: runs a command of the root in the folder. Programs see the machine's files as drive
# Z:, so if the current folder is on it, paths that begin with / mean the same as outside.
in_wine() {
  local folder=$1
  shift
  chroot "$wine_root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/h WINEPREFIX=/h/prefix WINEDEBUG="${WINEDEBUG:--all}" \
    LANG=C.UTF-8 DISPLAY= XDG_RUNTIME_DIR=/tmp "${wine_environment[@]}" /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
}
# NAME=VALUE..., in addition to the above.
wine_environment=()

make_prefix() {
  enter_wine && in_wine /h wineboot --init && in_wine /h wineserver --wait
}
