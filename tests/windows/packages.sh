# What ./package makes for Windows: contents, names and versions, here and in tests/portability; and under wine,
# what is unpacked is run.

# They need only libraries of Windows, and of those only ones that every Windows has.
hindsight_needs="advapi32.dll kernel32.dll msvcrt.dll shell32.dll"
trigger_needs="advapi32.dll kernel32.dll msvcrt.dll ntdll.dll shell32.dll"
library_needs="advapi32.dll api-ms-win-core-synch-l1-2-0.dll kernel32.dll msvcrt.dll ntdll.dll"

needs_only() { # FILE LIBRARIES
  equal "libraries of $1" "$2" \
    "$(x86_64-w64-mingw32-objdump -p "$1" | sed -n 's/.*DLL Name: //p' | tr '[:upper:]' '[:lower:]' | sort | xargs)"
}

# unpacked FILE FOLDER: FILE of $dist into $work/FOLDER.
unpacked() {
  rm -rf "${work:?}/$2" && mkdir -p "$work/$2" && (cd "$work/$2" && cmake -E tar xf "$dist/$1")
}

files_of() { # FOLDER
  (cd "$1" && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs)
}

# $zip is the folder that was in the ZIP.
zip_holds() {
  local name=hindsight-$version-windows-x64 license="" file
  [ ! -e "$source/LICENSE" ] || license="LICENSE "
  zip=$work/zip/$name
  unpacked "$name.zip" zip && equal "top level" "$name" "$(ls "$work/zip")" &&
    equal files "${license}README.md THIRD-PARTY.txt docs/windows.md hindsight-trigger.exe hindsight.dll hindsight.exe hindsight.spdx.json" "$(files_of "$zip")" &&
    cmp "$zip/README.md" "$source/README.md" && cmp "$zip/docs/windows.md" "$source/docs/windows.md" &&
    cmp "$zip/THIRD-PARTY.txt" "$dist/THIRD-PARTY-windows.txt" && cmp "$zip/hindsight.spdx.json" "$dist/hindsight-windows.spdx.json" || return 1
  for file in hindsight.exe hindsight-trigger.exe hindsight.dll; do
    x86_64-w64-mingw32-objdump -f "$zip/$file" | grep -q pei-x86-64 || { echo "$file is not for x64"; return 1; }
    ! x86_64-w64-mingw32-objdump -h "$zip/$file" | grep -F .debug_ || return 1
  done
  needs_only "$zip/hindsight.exe" "$hindsight_needs" && needs_only "$zip/hindsight-trigger.exe" "$trigger_needs" &&
    needs_only "$zip/hindsight.dll" "$library_needs" || return 1
  equal exports "DllCanUnloadNow DllGetClassObject" \
    "$(x86_64-w64-mingw32-objdump -p "$zip/hindsight.dll" | sed -n '/Ordinal.Name Pointer/,/^$/s/^\t\[.*\] //p' | sort | xargs)"
}

build_id() { # FILE
  x86_64-w64-mingw32-objcopy -O binary --only-section=.buildid "$1" "$work/build-id" && [ -s "$work/build-id" ] &&
    tail -c 21 "$work/build-id" | od -An -tx1 | xargs
}

# Debug information belongs to what is shipped, and neither tells where it was built.
debug_holds() {
  local name=hindsight-$version-windows-x64 file id
  unpacked "$name-debug.zip" debug &&
    equal files "hindsight-trigger.exe.debug hindsight.dll.debug hindsight.exe.debug" "$(files_of "$work/debug/$name-debug")" || return 1
  for file in hindsight.exe hindsight-trigger.exe hindsight.dll; do
    id=$(build_id "$zip/$file") && equal "build id of $file" "$id" "$(build_id "$work/debug/$name-debug/$file.debug")" || return 1
  done
  ! grep -rlF -e "$source/" -e "$work/" -e "$(windows_cache)/" "$work/zip" "$work/debug"
}

# nuget_holds ID COMMAND FILES: the package for the RID has what is in the ZIP, and the one without points to it.
nuget_holds() {
  local id=$1 command=$2 files=$3 file settings=DotnetToolSettings.xml tools
  unpacked "$id.win-x64.$version.nupkg" nuget && tools=$work/nuget/tools/any/win-x64 &&
    equal files "$settings $files" "$(files_of "$tools")" &&
    grep -F "<id>$id.win-x64</id>" "$work/nuget/$id.win-x64.nuspec" && grep -F "<version>$version</version>" "$work/nuget/$id.win-x64.nuspec" &&
    grep -F '<packageType name="DotnetToolRidPackage" />' "$work/nuget/$id.win-x64.nuspec" &&
    grep -F "<Command Name=\"$command\" EntryPoint=\"$command.exe\" Runner=\"executable\" />" "$tools/$settings" &&
    cmp "$work/nuget/THIRD-PARTY.txt" "$zip/THIRD-PARTY.txt" || return 1
  for file in $files; do cmp "$tools/$file" "$zip/$file" || return 1; done
  unpacked "$id.$version.nupkg" nuget &&
    grep -F "<RuntimeIdentifierPackage RuntimeIdentifier=\"win-x64\" Id=\"$id.win-x64\" />" "$work/nuget/tools/any/any/$settings"
}

# NuGet itself takes the packages. (`dotnet tool install` chooses for the system that it runs on.)
nuget_takes() {
  local folder=$work/taken
  rm -rf "$folder" && mkdir -p "$folder" && cat >"$folder/taken.csproj" <<XML || return 1
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net10.0</TargetFramework>
    <RestorePackagesPath>$folder/packages</RestorePackagesPath>
    <RestoreSources>$dist</RestoreSources>
  </PropertyGroup>
  <ItemGroup>
    <PackageDownload Include="Hindsight.Tool.win-x64" Version="[$version]" />
    <PackageDownload Include="Hindsight.Trigger.Tool.win-x64" Version="[$version]" />
  </ItemGroup>
</Project>
XML
  dotnet restore -nologo -nodeReuse:false "$folder/taken.csproj" &&
    cmp "$folder/packages/hindsight.tool.win-x64/$version/tools/any/win-x64/hindsight.exe" "$zip/hindsight.exe" &&
    cmp "$folder/packages/hindsight.trigger.tool.win-x64/$version/tools/any/win-x64/hindsight.dll" "$zip/hindsight.dll"
}

says_what_is_missing() {
  local told
  ! told=$(HINDSIGHT_WINDOWS=$work/none "$source/package" --only win-x64 "$work/none" 2>&1) &&
    [[ "$told" == *"win-x64 is left out: libraries for Windows are missing; tests/windows/setup libraries makes them"* ]] ||
    { echo "$told"; return 1; }
  [ ! -e "$work/none" ]
}

# Those in $dist.
check_windows_packages() {
  check "packages: the ZIP for Windows: contents, imports, exports" zip_holds
  check "packages: debug information for Windows" debug_holds
  check "packages: SBOM and notices for Windows" sbom_is_valid -windows
  check "packages: Hindsight.Tool for Windows" nuget_holds Hindsight.Tool hindsight hindsight.exe
  check "packages: Hindsight.Trigger.Tool for Windows" nuget_holds Hindsight.Trigger.Tool hindsight-trigger "hindsight-trigger.exe hindsight.dll"
  check "packages: without the libraries for Windows" says_what_is_missing
  check "packages: NuGet takes those for Windows" nuget_takes
}

make_windows_packages() {
  HINDSIGHT_BUILD_DIR=$work/build "$source/package" --only win-x64 "$dist"
}

# packed PROGRAM ARGUMENTS...: a program of the ZIP, under wine.
packed() {
  local program=$1
  shift
  in_wine "$work" wine "$zip/$program" "$@"
}

packed_versions() {
  local program
  for program in hindsight hindsight-trigger; do
    packed $program.exe --version | grep "^$program $version ([0-9a-f]\{12\}\( with changes\)\?)$" || return 1
  done
}

# The trigger lists a process and finds the library beside itself, and the analyzer reads what was recorded.
packed_programs_record() {
  begun Steady net10.0 none "" || return 1
  packed hindsight-trigger.exe list | grep Steady.exe &&
    packed hindsight-trigger.exe attach --name Steady --output "$(windows_path "$out")" &&
    packed hindsight-trigger.exe snapshot --name Steady && packed hindsight-trigger.exe stop --name Steady && over || return 1
  packed hindsight.exe summary "$(windows_path "$recording")" >"$work/summary.txt"
  local code=$?
  cat "$work/summary.txt"
  [ $code -le 1 ] && grep '^Steady, pid [0-9]* on .*, \.NET 10\.' "$work/summary.txt" && packed hindsight.exe verify "$(windows_path "$recording")"
}

check_packages_under_wine() {
  dist=${HINDSIGHT_PACKAGES:-$work/dist}
  version=$(sed -n 's/^project(hindsight VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
  [ -n "${HINDSIGHT_PACKAGES:-}" ] || check "packages: made for Windows" make_windows_packages
  check_windows_packages
  check "packages: hindsight.exe and hindsight-trigger.exe tell their version" packed_versions
  check "packages: Steady is published" published_sample Steady net10.0
  check "packages: the programs of the ZIP list, record and report" packed_programs_record
}
