# Lines, in the usual kinds of builds: optimized or not, with the PDB as a file or embedded.
set(source_link ${PROJECT_BINARY_DIR}/samples/Lines.sourcelink.json)
file(CONFIGURE OUTPUT ${source_link} CONTENT
  "{\"documents\": {\"@PROJECT_SOURCE_DIR@/samples/*\": \"https://example.org/code/*\"}}" @ONLY)
hindsight_publish(lines-8-debug PROJECT Lines FRAMEWORK net8.0 CONFIGURATION Debug
  OUTPUT lines_8_debug)
hindsight_publish(lines-8-release PROJECT Lines FRAMEWORK net8.0 OUTPUT lines_8_release
  PROPERTIES DebugType=embedded)
hindsight_publish(lines-10-debug PROJECT Lines FRAMEWORK net10.0 CONFIGURATION Debug
  OUTPUT lines_10_debug PROPERTIES DebugType=embedded)
hindsight_publish(lines-10-release PROJECT Lines FRAMEWORK net10.0 OUTPUT lines_10_release
  PROPERTIES SourceLink=${source_link})
list(GET lines_10_debug 1 lines_10_debug_dll)
list(GET lines_10_release 1 lines_10_release_dll)
hindsight_live_test(live_lines_test SIDE_BY_SIDE lines_test.cc)
target_compile_definitions(live_lines_test PRIVATE
  HINDSIGHT_LINES_8_DEBUG="${lines_8_debug}"
  HINDSIGHT_LINES_8_RELEASE="${lines_8_release}"
  HINDSIGHT_LINES_10_DEBUG="${lines_10_debug_dll}"
  HINDSIGHT_LINES_10_RELEASE="${lines_10_release_dll}")
add_dependencies(live_lines_test lines-8-debug lines-8-release lines-10-debug lines-10-release)
