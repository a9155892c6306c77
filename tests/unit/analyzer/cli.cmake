# The command line: parsing, help, manual pages, and completion in the shells themselves.
add_executable(cli_test cli_parse_test.cc cli_help_test.cc)
target_link_libraries(cli_test PRIVATE hindsight_cli GTest::gtest_main)
hindsight_discover_tests(cli_test)

add_executable(cli_programs_test cli_programs_test.cc cli_completion_test.cc cli_manners_test.cc)
target_compile_definitions(cli_programs_test PRIVATE
  HINDSIGHT_BINARY="$<TARGET_FILE:hindsight>"
  HINDSIGHT_TRIGGER="$<TARGET_FILE:hindsight-trigger>"
  HINDSIGHT_GOLDEN_CASES="${CMAKE_SOURCE_DIR}/tests/golden/cases")
target_link_libraries(cli_programs_test PRIVATE hindsight_test_support GTest::gtest_main)
add_dependencies(cli_programs_test hindsight hindsight-trigger)
hindsight_discover_tests(cli_programs_test)
