# The reader against recordings that were cut off or altered anywhere.
add_executable(reader_fault_test reader_bitflip_test.cc reader_truncation_test.cc)
target_link_libraries(reader_fault_test PRIVATE hindsight_test_reading GTest::gtest_main)
hindsight_discover_tests(reader_fault_test PROPERTIES TIMEOUT 600)

# Every command against malicious recordings, HINDSIGHT_HOSTILE_RECORDINGS of them.
add_executable(hostile_recordings_test hostile_recordings_test.cc)
target_link_libraries(hostile_recordings_test PRIVATE hindsight_test_heap GTest::gtest_main)
add_dependencies(hostile_recordings_test hindsight)
target_compile_definitions(hostile_recordings_test PRIVATE
  HINDSIGHT_BINARY="$<TARGET_FILE:hindsight>"
  HINDSIGHT_GOLDEN="${CMAKE_SOURCE_DIR}/tests/golden")
hindsight_discover_tests(hostile_recordings_test PROPERTIES TIMEOUT 7200)
