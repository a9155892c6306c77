# cmake -DOUTPUT=FILE.cc -DFOLDER=... -P embed.cmake: writes kSchemaFiles, all *.json of the folder by
# name, in alphabetical order.
file(GLOB files ${FOLDER}/*.json)
list(SORT files)
set(source "#include \"analyzer/report/json_schema.h\"\n\nnamespace hindsight::analyzer {\nnamespace {\n")
string(APPEND source "constexpr SchemaFile kFiles[] = {\n")
foreach(path IN LISTS files)
  get_filename_component(name "${path}" NAME_WE)
  file(READ "${path}" content)
  string(APPEND source "{\"${name}\", R\"embedded(${content})embedded\"},\n")
endforeach()
string(APPEND source "};\n}  // namespace\n\nconst std::span<const SchemaFile> kSchemaFiles = kFiles;\n\n")
string(APPEND source "}  // namespace hindsight::analyzer\n")
file(WRITE "${OUTPUT}" "${source}")
