if(TARGET hindsight_output)
  add_executable(recorder_output_test
    output_file_set_test.cc
    output_recording_folder_test.cc
    output_segment_writer_test.cc
    output_system_test.cc
    output_test_support.cc)
  target_link_libraries(recorder_output_test PRIVATE hindsight_output hindsight_container hindsight_schema
                                                     ${HINDSIGHT_ZSTD_STATIC} GTest::gtest_main)
  hindsight_discover_tests(recorder_output_test)
endif()
