# What the analyzer needs for the recordings of a fleet.
add_executable(hindsight-bench-fleet
  fleet/main.cc
  ${PROJECT_SOURCE_DIR}/tests/consumers/profile_recording.cc
  ${PROJECT_SOURCE_DIR}/tests/support/recording_builder.cc
  ${PROJECT_SOURCE_DIR}/tests/support/run_linux.cc)
target_link_libraries(hindsight-bench-fleet PRIVATE hindsight_analyzer CLI11::CLI11)
target_compile_definitions(hindsight-bench-fleet PRIVATE HINDSIGHT_BINARY="$<TARGET_FILE:hindsight>")
add_dependencies(hindsight-bench-fleet hindsight)
