# The reader against recordings that were cut off or altered anywhere.
add_executable(reader_fault_test reader_bitflip_test.cc reader_truncation_test.cc)
target_link_libraries(reader_fault_test PRIVATE hindsight_test_reading GTest::gtest_main)
gtest_discover_tests(reader_fault_test PROPERTIES TIMEOUT 600)
