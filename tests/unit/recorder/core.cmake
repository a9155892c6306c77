# The drain thread's side, down to the recording that it writes.
add_executable(recorder_core_test
  command_text_test.cc
  cpu_faults_test.cc
  cpu_signal_test.cc
  descriptor_test.cc
  dictionary_writer_test.cc
  exception_layout_test.cc
  exception_links_test.cc
  exception_packets_test.cc
  exceptions_test.cc
  fields_test.cc
  id_table_test.cc
  inline_trees_test.cc
  lock_packets_test.cc
  locks_test.cc
  output_test_support.cc
  packet_writer_test.cc
  pages_test.cc
  proto_writer_test.cc
  recording_writer_test.cc
  request_detail_events_test.cc
  request_packets_test.cc
  rule_watch_test.cc
  runtime_contract_test.cc
  runtime_events_test.cc
  runtime_packets_test.cc
  session_test.cc
  stack_walker_test.cc
  thread_hold_test.cc
  thread_roster_test.cc
  thread_run_test.cc
  thread_test.cc
  unwind_rules_test.cc
  generated_code_test.cc)
# Like the recorder itself: its classes have no type information to refer to.
target_compile_options(recorder_core_test PRIVATE -fno-rtti)
target_link_libraries(recorder_core_test PRIVATE
  hindsight_recorder_core hindsight_schema ${HINDSIGHT_ZSTD_STATIC} GTest::gtest_main)
hindsight_discover_tests(recorder_core_test)
