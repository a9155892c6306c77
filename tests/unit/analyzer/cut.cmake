# Parts of recordings as recordings.
add_executable(cut_test cut_test.cc)
target_compile_definitions(cut_test PRIVATE HINDSIGHT_BINARY="$<TARGET_FILE:hindsight>")
target_link_libraries(cut_test PRIVATE hindsight_test_reading hindsight_test_heap GTest::gtest_main)
add_dependencies(cut_test hindsight)
hindsight_discover_tests(cut_test)
