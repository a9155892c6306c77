# Stacks of Windows: what is read is pure data, so on every system.
add_executable(recorder_unwind_info_test
  mapped_image_test.cc
  unwind_info_test.cc)
target_link_libraries(recorder_unwind_info_test PRIVATE hindsight_stack GTest::gtest_main)
hindsight_discover_tests(recorder_unwind_info_test)
