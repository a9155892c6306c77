# cmake -DOUTPUT=FILE.cc -DFOLDER=... -P embed_schemas.cmake: writes kSchemaFiles, all *.json of the folder by
# name, in alphabetical order.
file(GLOB files ${FOLDER}/*.json)
list(SORT files)
set(source "#include \"analyzer/cli/json_schema.h\"\n\nnamespace hindsight::cli {\nnamespace {\n")
string(APPEND source "constexpr SchemaFile kFiles[] = {\n")
foreach(path IN LISTS files)
  get_filename_component(name "${path}" NAME_WE)
  file(READ "${path}" content)
  string(APPEND source "{\"${name}\", R\"embedded(${content})embedded\"},\n")
endforeach()
string(APPEND source "};\n}  // namespace\n\nconst std::span<const SchemaFile> kSchemaFiles = kFiles;\n\n")
string(APPEND source "}  // namespace hindsight::cli\n")
file(WRITE "${OUTPUT}" "${source}")
