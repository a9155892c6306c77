# podman with images, containers and networks of its own, all in $work, and the images of the checks.
version=$(sed -n 's/^project(hindsight VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
trigger=$work/installed/bin/hindsight-trigger
hindsight=$build/analyzer/hindsight

# Limits below those of this process: podman would raise them, which not every root user may do.
engine_starts() {
  mkdir -p "$work/images/probe"
  cat >"$work/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
  cp "$build/trigger/hindsight-trigger" "$work/images/probe/" || return 1
  {
    engine build -q -t probe -f - "$work/images/probe" <<<$'FROM scratch\nCOPY hindsight-trigger /' &&
      run --rm localhost/probe /hindsight-trigger list
  } >"$work/engine.log" 2>&1 </dev/null
}

engine() {
  CONTAINERS_CONF=$work/containers.conf podman --log-level=fatal --root "$work/store" --runroot "$work/run" \
    --tmpdir "$work/tmp" "$@"
}

# No network is needed.
run() { engine run --network=none "$@"; }

# What Kubernetes' restricted profile demands; podman's seccomp profile is on by default.
restricted=(--cap-drop=all --security-opt=no-new-privileges --read-only --read-only-tmpfs=false)

remove_all() {
  engine pod rm -fa -t 0
  engine rm -fa -t 0
  engine volume rm -fa
} >/dev/null 2>&1

# image NAME FOLDER CONTAINERFILE ARGUMENTS...
image() {
  local name=$1 folder=$2 file=$3
  shift 3
  engine build -q --layers=false -t "$name" -f "$file" "$@" "$folder"
}

# The runtime alone: like an image of .NET on a distribution, without the distribution.
base_image() {
  local folder=$work/images/base dotnet file
  dotnet=$(dirname "$(readlink -f "$(command -v dotnet)")")
  rm -rf "$folder"
  mkdir -p "$folder"/{usr/share/dotnet/shared,app,tmp,etc} && chmod 1777 "$folder/tmp" &&
    cp -a "$dotnet/dotnet" "$dotnet/host" "$folder/usr/share/dotnet/" &&
    cp -a "$dotnet/shared/Microsoft.NETCore.App" "$folder/usr/share/dotnet/shared/" || return 1
  for file in $(find "$folder" -name '*.so' -exec ldd {} + | grep -o '/[^ ]*\.so\(\.[0-9]*\)*' | grep -v dotnet | sort -u); do
    mkdir -p "$folder$(dirname "$file")" && cp -L "$file" "$folder$file" || return 1
  done
  image runtime:10.0 "$folder" - <<'END'
FROM scratch
COPY . /
ENV DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 PATH=/usr/share/dotnet
END
}

# With the Containerfile that ./package delivers, from an archive with the same layout as its own.
hindsight_image() {
  local folder=$work/images/hindsight name=hindsight-$version-linux-x64
  rm -rf "$folder"
  mkdir -p "$folder/$name"/{bin,lib} && cp "$build/trigger/hindsight-trigger" "$hindsight" "$folder/$name/bin/" &&
    cp "$build/recorder/libhindsight.so" "$folder/$name/lib/" && strip "$folder/$name"/*/* &&
    tar -C "$folder" -czf "$folder/$name.tar.gz" "$name" && rm -rf "$work/installed" &&
    mv "$folder/$name" "$work/installed" &&
    image hindsight "$folder" "$source/packaging/Containerfile" --build-arg "VERSION=$version"
}

images() {
  remove_all
  engine image exists runtime:10.0 || base_image || return 1
  hindsight_image || return 1
  for sample in Steady HeapSamples ExceptionStorm; do
    image "${sample,,}" "$build/samples/$sample-net10.0" "$source/samples/containers/Containerfile" \
      --build-arg BASE=localhost/runtime:10.0 || return 1
  done
  [ "$(engine image inspect --format '{{.Size}}' hindsight)" -lt 30000000 ]
}

# play FILE: starts a pod of samples/containers and waits until its application is ready. podman 4.3 may fail to
# remove an init container that has just ended; a second start then continues where it stopped.
play() {
  engine kube play --network=none "$source/samples/containers/$1.yaml" || engine pod start "$1" || return 1
  until_true 60 is_ready "$1-steady" || { engine logs "$1-steady"; return 1; }
  pid=$(pid_of "$1-steady")
}

is_ready() { engine logs "$1" 2>&1 | grep -q '^ready'; }
pid_of() { engine inspect --format '{{.State.Pid}}' "$1"; }

# in_sidecar POD ARGUMENTS...: as `kubectl exec` does.
in_sidecar() {
  local pod=$1
  shift
  engine exec "$pod-hindsight" hindsight-trigger "$@"
}
