# Recordings as tables: rows, databases, CSV, queries.
add_executable(tables_test tables_test.cc)
target_link_libraries(tables_test PRIVATE hindsight_test_reading GTest::gtest_main)
hindsight_discover_tests(tables_test)

# SQL over the objects of a heap.
add_executable(object_tables_test object_tables_test.cc)
target_compile_definitions(object_tables_test PRIVATE
  HINDSIGHT_EXPLORER_MD="${PROJECT_SOURCE_DIR}/docs/explorer.md")
target_link_libraries(object_tables_test PRIVATE hindsight_test_heap GTest::gtest_main)
hindsight_discover_tests(object_tables_test PROPERTIES TIMEOUT 300)
