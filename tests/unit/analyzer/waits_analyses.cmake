# Who waits for whom: the wait graph, deadlocks, unfinished tasks.
add_executable(waits_analyses_test
  deadlocks_test.cc
  event_deadlocks_test.cc
  semaphore_deadlocks_test.cc
  stuck_tasks_test.cc
  wait_graph_test.cc
  wait_queues_test.cc)
target_link_libraries(waits_analyses_test PRIVATE hindsight_test_heap GTest::gtest_main)
gtest_discover_tests(waits_analyses_test)
