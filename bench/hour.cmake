# What the analyzer needs for an hour of a busy service.
add_executable(hindsight-bench-hour
  hour/main.cc
  ${PROJECT_SOURCE_DIR}/tests/consumers/profile_recording.cc
  ${PROJECT_SOURCE_DIR}/tests/support/recording_builder.cc
  ${PROJECT_SOURCE_DIR}/tests/support/run_linux.cc)
target_link_libraries(hindsight-bench-hour PRIVATE hindsight_analyzer CLI11::CLI11)
target_compile_definitions(hindsight-bench-hour PRIVATE HINDSIGHT_BINARY="$<TARGET_FILE:hindsight>")
add_dependencies(hindsight-bench-hour hindsight)
