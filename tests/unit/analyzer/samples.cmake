# Samples: from their packets to the model, and what is computed from their paths.
add_executable(samples_test
  allocations_report_test.cc
  call_paths_test.cc
  collections_test.cc
  cpu_report_test.cc
  display_names_test.cc
  gc_report_test.cc
  gc_rules_test.cc
  packed_rows_test.cc
  recorder_activity_test.cc
  request_work_test.cc
  requests_test.cc
  routes_test.cc
  runtime_work_test.cc
  samples_test.cc
  timeline_test.cc
  pair_table_test.cc)
target_link_libraries(samples_test PRIVATE hindsight_test_reading GTest::gtest_main)
hindsight_discover_tests(samples_test)
