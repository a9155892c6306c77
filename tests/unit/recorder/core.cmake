# Where threads of the recorder meet without a lock: this target also runs under ThreadSanitizer.
add_executable(recorder_stream_test
  request_tally_test.cc
  callback_cost_test.cc
  condition_test.cc
  ring_test.cc
  stack_bounds_test.cc
  stack_table_test.cc
  tally_test.cc
  thread_track_test.cc
  waker_test.cc)
target_link_libraries(recorder_stream_test PRIVATE hindsight_stream GTest::gtest_main)
gtest_discover_tests(recorder_stream_test)

# The drain thread's side, down to the recording that it writes.
add_executable(recorder_core_test
  code_gate_test.cc
  cpu_signal_test.cc
  dictionaries_test.cc
  exception_tracker_test.cc
  lock_packets_test.cc
  output_test_support.cc
  packet_writer_test.cc
  proto_writer_test.cc
  recording_test.cc
  request_packets_test.cc
  rule_watch_test.cc
  runtime_events_test.cc
  runtime_packets_test.cc
  stack_walker_test.cc
  thread_roster_test.cc
  thread_run_test.cc
  unwind_rules_test.cc)
# As the recorder itself is built: its classes have no type information to refer to.
target_compile_options(recorder_core_test PRIVATE -fno-rtti)
target_link_libraries(recorder_core_test PRIVATE
  hindsight_recorder_core hindsight_schema ${HINDSIGHT_ZSTD_STATIC} GTest::gtest_main)
gtest_discover_tests(recorder_core_test)

# Where its threads meet those of the application without a lock: this target also runs under
# ThreadSanitizer.
add_executable(recorder_threads_test survivors_test.cc threads_interleave_test.cc)
target_compile_options(recorder_threads_test PRIVATE -fno-rtti)
target_link_libraries(recorder_threads_test PRIVATE
  hindsight_recorder_core ${HINDSIGHT_ZSTD_STATIC} GTest::gtest_main)
gtest_discover_tests(recorder_threads_test)
