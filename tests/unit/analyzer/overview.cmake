# What all analyses found, judged together.
add_executable(overview_test
  overview_code_test.cc
  overview_events_test.cc
  overview_exceptions_test.cc
  overview_failures_test.cc
  overview_heap_endings_test.cc
  overview_heap_queues_test.cc
  overview_heap_tasks_test.cc
  overview_heap_test.cc
  overview_locks_test.cc
  overview_memory_test.cc
  overview_pool_test.cc
  overview_report_test.cc
  overview_requests_test.cc
  overview_stalls_test.cc
  overview_rules_cpu_test.cc
  overview_rules_test.cc
  overview_work_test.cc)
target_link_libraries(overview_test PRIVATE
  hindsight_test_heap hindsight_test_reading GTest::gtest_main)
hindsight_discover_tests(overview_test)
