# Heap snapshots: the walk, and those parts of it that need no runtime.
add_executable(recorder_heap_test
  collectible_flag_test.cc
  heap_walk_test.cc
  heap_file_test.cc
  snapshot_pause_test.cc
  thread_scan_test.cc
  value_rules_test.cc)
target_compile_options(recorder_heap_test PRIVATE -fno-rtti)
target_link_libraries(recorder_heap_test PRIVATE
  hindsight_recorder_core hindsight_schema ${HINDSIGHT_ZSTD_STATIC} GTest::gtest_main)
hindsight_discover_tests(recorder_heap_test)
