add_executable(page_test page_test.cc)
target_link_libraries(page_test PRIVATE hindsight_test_reading nlohmann_json::nlohmann_json GTest::gtest_main)
hindsight_discover_tests(page_test)
