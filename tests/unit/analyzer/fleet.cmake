# Many recordings together.
add_executable(fleet_test
  fleet_catalogue_test.cc
  fleet_command_test.cc
  fleet_test.cc)
find_package(nlohmann_json REQUIRED)
target_compile_definitions(fleet_test PRIVATE
  HINDSIGHT_BINARY="$<TARGET_FILE:hindsight>"
  HINDSIGHT_GOLDEN_CASES="${CMAKE_SOURCE_DIR}/tests/golden/cases")
target_link_libraries(fleet_test PRIVATE
  hindsight_test_reading nlohmann_json::nlohmann_json GTest::gtest_main)
add_dependencies(fleet_test hindsight)
hindsight_discover_tests(fleet_test)
