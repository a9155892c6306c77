# The questions on a heap: names of references, paths, and what the reports are made of.
add_executable(heap_questions_test
  heap_contents_test.cc
  heap_holders_test.cc
  heap_names_test.cc
  heap_paths_test.cc)
target_link_libraries(heap_questions_test PRIVATE hindsight_test_heap GTest::gtest_main)
hindsight_discover_tests(heap_questions_test)
