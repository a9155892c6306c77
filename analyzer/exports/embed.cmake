# cmake -DOUTPUT=FILE.cc -DHEADER=... -DTEXTS="kName=FILE,..." -P embed.cmake: writes a source file that
# defines each kName as a std::string_view of FILE's text.
set(source "#include \"${HEADER}\"\n\nnamespace hindsight::analyzer {\n")
string(REPLACE "," ";" texts "${TEXTS}")
foreach(text IN LISTS texts)
  string(REGEX MATCH "^([^=]+)=(.+)$" pair "${text}")
  set(name "${CMAKE_MATCH_1}")
  file(READ "${CMAKE_MATCH_2}" content)
  string(APPEND source "\nconst std::string_view ${name} = R\"embedded(${content})embedded\";\n")
endforeach()
string(APPEND source "\n}  // namespace hindsight::analyzer\n")
file(WRITE "${OUTPUT}" "${source}")
