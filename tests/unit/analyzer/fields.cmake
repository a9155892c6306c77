# Descriptions of rows: JSON and JSON Schema.
add_executable(fields_test fields_test.cc)
target_link_libraries(fields_test PRIVATE hindsight_analyzer hindsight_test_support nlohmann_json::nlohmann_json
  GTest::gtest_main)
hindsight_discover_tests(fields_test)
