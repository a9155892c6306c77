# Which thread waits for which: the wait graph, deadlocks, unfinished tasks.
add_executable(waits_analyses_test
  contended_locks_test.cc
  deadlocks_test.cc
  event_deadlocks_test.cc
  grain_calls_test.cc
  lock_names_test.cc
  semaphore_deadlocks_test.cc
  signal_waits_test.cc
  stuck_tasks_test.cc
  task_deadlocks_test.cc
  wait_graph_test.cc
  wait_queues_test.cc)
target_link_libraries(waits_analyses_test PRIVATE hindsight_test_heap hindsight_test_reading GTest::gtest_main)
hindsight_discover_tests(waits_analyses_test)
