# Recordings as tables: rows, databases, CSV, queries.
add_executable(tables_test tables_test.cc)
target_link_libraries(tables_test PRIVATE hindsight_test_reading GTest::gtest_main)
gtest_discover_tests(tables_test)
