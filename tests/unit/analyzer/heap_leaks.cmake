# What leaks, what grew, and what other tools read.
add_executable(heap_leaks_test
  heap_diff_test.cc
  heap_healthy_test.cc
  heap_leaks_test.cc
  leak_contents_test.cc
  leak_rules_test.cc
  leak_series_test.cc
  leak_timers_test.cc
  leak_tokens_test.cc
  type_owners_test.cc)
target_link_libraries(heap_leaks_test PRIVATE hindsight_test_heap GTest::gtest_main)
hindsight_discover_tests(heap_leaks_test)
