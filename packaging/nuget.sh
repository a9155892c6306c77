# nuget_tools DIST VERSION ARCHITECTURES: two .NET tools that are native programs (.NET SDK 10 and newer),
# each a package that points to one for each RID: hindsight, and hindsight-trigger with the library that
# it brings into processes.

# nuget_package FOLDER FILE: FOLDER as a package (Open Packaging Conventions), the same bytes each time.
nuget_package() {
  local folder=$1 file=$2
  mkdir -p "$folder/_rels"
  cat >"$folder/[Content_Types].xml" <<XML
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
  <Default Extension="nuspec" ContentType="application/octet" />
  <Default Extension="xml" ContentType="application/octet" />
  <Default Extension="txt" ContentType="application/octet" />
  <Default Extension="json" ContentType="application/octet" />
  <Default Extension="md" ContentType="application/octet" />
  <Default Extension="so" ContentType="application/octet" />
$(find "$folder" -type f ! -name '*.*' -printf '  <Override PartName="/%P" ContentType="application/octet" />\n' | sort)
</Types>
XML
  cat >"$folder/_rels/.rels" <<XML
<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/$(basename "$(ls "$folder"/*.nuspec)")" Id="manifest" />
</Relationships>
XML
  find "$folder" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  # Times in a zip are of the local zone.
  (cd "$folder" && find . -type f -printf '%P\n' | LC_ALL=C sort >../files &&
    TZ=UTC cmake -E tar cf "$file" --format=zip --files-from=../files)
}

# nuspec ID VERSION TYPE WHAT
nuspec() {
  local license=""
  [ -e "$root/LICENSE" ] && license='<license type="file">LICENSE</license>'
  cat <<XML
<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>$1</id>
    <version>$2</version>
    <authors>The Hindsight authors</authors>
    <description>$4</description>
    $license
    <readme>README.md</readme>
    <packageTypes><packageType name="$3" /></packageTypes>
  </metadata>
</package>
XML
}

# nuget_tool COMMAND ID WHAT FILES...: of $scratch/hindsight-$version-linux-ARCHITECTURE for each of
# $architectures.
nuget_tool() {
  local command=$1 id=$2 what=$3 folder architecture rid file installed
  shift 3
  folder=$scratch/nuget/$id
  rm -rf "$folder" "$folder".linux-*
  mkdir -p "$folder/tools/any/any"
  nuspec "$id" "$version" DotnetTool "$what" >"$folder/$id.nuspec"
  {
    cat <<XML
<?xml version="1.0" encoding="utf-8"?>
<DotNetCliTool Version="2">
  <Commands>
    <Command Name="$command" />
  </Commands>
  <RuntimeIdentifierPackages>
XML
    for architecture in $architectures; do
      echo "    <RuntimeIdentifierPackage RuntimeIdentifier=\"linux-$architecture\" Id=\"$id.linux-$architecture\" />"
    done
    printf '  </RuntimeIdentifierPackages>\n</DotNetCliTool>\n'
  } >"$folder/tools/any/any/DotnetToolSettings.xml"
  for architecture in $architectures; do
    rid=linux-$architecture
    installed=$scratch/hindsight-$version-$rid
    mkdir -p "$folder.$rid/tools/any/$rid"
    nuspec "$id.$rid" "$version" DotnetToolRidPackage "$what ($rid)" >"$folder.$rid/$id.$rid.nuspec"
    cat >"$folder.$rid/tools/any/$rid/DotnetToolSettings.xml" <<XML
<?xml version="1.0" encoding="utf-8"?>
<DotNetCliTool Version="2">
  <Commands>
    <Command Name="$command" EntryPoint="$command" Runner="executable" />
  </Commands>
</DotNetCliTool>
XML
    for file in "$@"; do cp "$installed/$file" "$folder.$rid/tools/any/$rid/" || return 1; done
    cp "$installed"/share/doc/hindsight/* "$folder.$rid/" || return 1
    nuget_package "$folder.$rid" "$dist/$id.$rid.$version.nupkg" || return 1
  done
  cp "$scratch/hindsight-$version-linux-x64"/share/doc/hindsight/* "$folder/" &&
    nuget_package "$folder" "$dist/$id.$version.nupkg"
}

nuget_tools() {
  local dist=$1 version=$2 architectures=$3
  nuget_tool hindsight Hindsight.Tool "Says what was wrong in a .NET process, from its flight recording" \
    bin/hindsight &&
    nuget_tool hindsight-trigger Hindsight.Trigger.Tool "Records running .NET processes, natively" \
      bin/hindsight-trigger lib/libhindsight.so
}
