# The reader, the commands that print what it reports, and the helpers below them.
add_executable(reader_test
  base_pager_test.cc
  base_progress_test.cc
  base_text_test.cc
  find_recordings_test.cc
  ${CMAKE_SOURCE_DIR}/analyzer/commands/output_file.cc
  output_file_test.cc
  reader_body_test.cc
  file_dictionary_test.cc
  reader_gaps_test.cc
  reader_recording_test.cc
  text_style_test.cc)
target_link_libraries(reader_test PRIVATE hindsight_test_reading hindsight_test_heap GTest::gtest_main)
hindsight_discover_tests(reader_test)

find_package(nlohmann_json REQUIRED)
add_executable(reader_command_test reader_command_test.cc reader_unusable_input_test.cc)
target_compile_definitions(reader_command_test PRIVATE HINDSIGHT_BINARY="$<TARGET_FILE:hindsight>")
target_link_libraries(reader_command_test PRIVATE
  hindsight_test_support nlohmann_json::nlohmann_json GTest::gtest_main)
add_dependencies(reader_command_test hindsight)
hindsight_discover_tests(reader_command_test)
