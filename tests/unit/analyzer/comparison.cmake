# Two recordings, compared: the statistics alone, and on models and heaps made in memory.
add_executable(comparison_test
  aligned_names_test.cc
  change_rules_test.cc
  compare_all_requests_test.cc
  compare_in_progress_test.cc
  compare_requests_test.cc
  compare_snapshots_test.cc
  comparison_chance_test.cc
  comparison_locks_test.cc
  comparison_report_test.cc
  comparison_rules_test.cc
  comparison_test.cc
  consequences_test.cc
  significance_test.cc)
target_link_libraries(comparison_test PRIVATE
  hindsight_test_heap hindsight_test_reading GTest::gtest_main)
hindsight_discover_tests(comparison_test)
