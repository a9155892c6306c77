# nuget_tools DIST VERSION RIDS: two .NET tools that are native programs (.NET SDK 10 and newer), each a package
# that points to one for each RID: hindsight, and hindsight-trigger with the library that it brings into
# processes. RIDS: linux-x64, and others that packages were made for.

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
  <Default Extension="exe" ContentType="application/octet" />
  <Default Extension="dll" ContentType="application/octet" />
$(find "$folder" -type f ! -name '*.*' -printf '  <Override PartName="/%P" ContentType="application/octet" />\n' | sort)
</Types>
XML
  cat >"$folder/_rels/.rels" <<XML
<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/$(basename "$(ls "$folder"/*.nuspec)")" Id="manifest" />
</Relationships>
XML
  zip_archive "$folder" . "$file"
}

# installed_for RID: what was installed for it, and below it documents, programs and the library.
installed_for() {
  case $1 in
    win-*) installed=$scratch/hindsight-$version-windows-${1#win-} documents=. programs=. ending=.exe library=hindsight.dll ;;
    *) installed=$scratch/hindsight-$version-$1 documents=share/doc/hindsight programs=bin ending="" library=lib/libhindsight.so ;;
  esac
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

copy_documents() { # FOLDER
  find "$installed/$documents" -maxdepth 1 -type f ! -name '*.exe' ! -name '*.dll' -exec cp -t "$1" {} +
}

# nuget_tool COMMAND ID WHAT [library]: for each of $rids; with the library if it says so.
nuget_tool() {
  local command=$1 id=$2 what=$3 with=${4:-} folder rid installed documents programs ending library
  folder=$scratch/nuget/$id
  rm -rf "$folder" "$folder".*
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
    for rid in $rids; do
      echo "    <RuntimeIdentifierPackage RuntimeIdentifier=\"$rid\" Id=\"$id.$rid\" />"
    done
    printf '  </RuntimeIdentifierPackages>\n</DotNetCliTool>\n'
  } >"$folder/tools/any/any/DotnetToolSettings.xml"
  for rid in $rids; do
    installed_for "$rid"
    mkdir -p "$folder.$rid/tools/any/$rid"
    nuspec "$id.$rid" "$version" DotnetToolRidPackage "$what ($rid)" >"$folder.$rid/$id.$rid.nuspec"
    cat >"$folder.$rid/tools/any/$rid/DotnetToolSettings.xml" <<XML
<?xml version="1.0" encoding="utf-8"?>
<DotNetCliTool Version="2">
  <Commands>
    <Command Name="$command" EntryPoint="$command$ending" Runner="executable" />
  </Commands>
</DotNetCliTool>
XML
    cp "$installed/$programs/$command$ending" "$folder.$rid/tools/any/$rid/" || return 1
    [ -z "$with" ] || cp "$installed/$library" "$folder.$rid/tools/any/$rid/" || return 1
    copy_documents "$folder.$rid" || return 1
    nuget_package "$folder.$rid" "$dist/$id.$rid.$version.nupkg" || return 1
  done
  installed_for "${rids%% *}"
  copy_documents "$folder" && nuget_package "$folder" "$dist/$id.$version.nupkg"
}

nuget_tools() {
  local dist=$1 version=$2 rids=$3
  nuget_tool hindsight Hindsight.Tool "Says what was wrong in a .NET process, from its flight recording" &&
    nuget_tool hindsight-trigger Hindsight.Trigger.Tool "Records running .NET processes, natively" library
}
