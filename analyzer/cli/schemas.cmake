# Puts the *.json of `folder` into a program as text: what its `schema` prints.
function(hindsight_embed_schemas program folder)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/schema_files.cc)
  file(GLOB schemas CONFIGURE_DEPENDS ${folder}/*.json)
  set(script ${PROJECT_SOURCE_DIR}/analyzer/cli/embed_schemas.cmake)
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${made} -DFOLDER=${folder} -P ${script}
    DEPENDS ${script} ${schemas}
    VERBATIM)
  target_sources(${program} PRIVATE ${made})
  target_link_libraries(${program} PRIVATE hindsight_cli_schema)
endfunction()
