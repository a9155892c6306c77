# Data that threads of the recorder share without a lock: these, and recorder_stack_test, also run under
# ThreadSanitizer.
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
target_link_libraries(recorder_stream_test PRIVATE hindsight_stack GTest::gtest_main)
hindsight_discover_tests(recorder_stream_test PROPERTIES LABELS threads)

# The same for code that calls the runtime.
add_executable(recorder_threads_test
  code_gate_test.cc
  survivor_tracker_test.cc
  suspensions_test.cc
  thread_gate_test.cc
  threads_interleave_test.cc)
target_compile_options(recorder_threads_test PRIVATE -fno-rtti)
target_link_libraries(recorder_threads_test PRIVATE
  hindsight_recorder_core ${HINDSIGHT_ZSTD_STATIC} GTest::gtest_main)
hindsight_discover_tests(recorder_threads_test PROPERTIES LABELS threads)
