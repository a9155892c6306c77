# Stacks of threads.
add_executable(thread_stacks_test thread_stacks_test.cc)
target_link_libraries(thread_stacks_test PRIVATE hindsight_analyzer GTest::gtest_main)
hindsight_discover_tests(thread_stacks_test)
