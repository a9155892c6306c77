# Pages in the program: their files as source files.
include_guard(GLOBAL)

# hindsight_embed(target header [name "file;..."]...): a library that defines what `header` declares: each
# name is a std::string_view of its files' texts, concatenated.
function(hindsight_embed target header)
  set(embed ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake)
  string(REGEX REPLACE "\\.h$" ".cc" source ${PROJECT_BINARY_DIR}/${header})
  get_filename_component(folder ${source} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  set(texts "")
  set(all "")
  math(EXPR last "${ARGC} - 1")
  foreach(name RANGE 2 ${last} 2)
    math(EXPR files "${name} + 1")
    list(APPEND all ${ARGV${files}})
    string(REPLACE ";" "|" joined "${ARGV${files}}")
    list(APPEND texts "${ARGV${name}}=${joined}")
  endforeach()
  string(REPLACE ";" "," texts "${texts}")
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${source} -DHEADER=${header} "-DTEXTS=${texts}" -P ${embed}
    DEPENDS ${embed} ${all}
    VERBATIM)
  add_library(${target} STATIC ${source})
  target_link_libraries(${target} PUBLIC hindsight_flags)
endfunction()
