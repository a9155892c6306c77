# The walk from a signal: prologs, native unwind tables, and real signals.
add_executable(recorder_stack_test
  eh_frame_test.cc
  managed_code_test.cc
  prolog_test.cc
  signal_walker_test.cc
  signal_walker_code.cc
  unwind_cache_test.cc)
target_compile_options(recorder_stack_test PRIVATE -fno-rtti)
# Code as most of it is compiled: without frame pointers. Its options are not those of the tests'
# precompiled header.
set_source_files_properties(signal_walker_code.cc PROPERTIES SKIP_PRECOMPILE_HEADERS ON
  COMPILE_OPTIONS "-O2;-fomit-frame-pointer;-fno-optimize-sibling-calls")
target_link_libraries(recorder_stack_test PRIVATE hindsight_recorder_core GTest::gtest_main)
gtest_discover_tests(recorder_stack_test)
