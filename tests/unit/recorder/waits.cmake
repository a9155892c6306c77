# Snapshots of all threads, with a fake runtime, and what heap snapshots take from them.
add_executable(recorder_waits_test
  monitor_waits_test.cc
  thread_snapshot_taker_test.cc
  walked_threads_test.cc)
target_compile_options(recorder_waits_test PRIVATE -fno-rtti)
target_link_libraries(recorder_waits_test PRIVATE hindsight_recorder_core GTest::gtest_main)
hindsight_discover_tests(recorder_waits_test)
