# Waits, from their packets' contents to verdicts.
add_executable(waits_model_test
  lock_waits_test.cc
  pool_health_test.cc
  processor_wait_test.cc
  thread_lanes_test.cc
  wall_time_test.cc)
target_link_libraries(waits_model_test PRIVATE hindsight_analyzer GTest::gtest_main)
hindsight_discover_tests(waits_model_test)
