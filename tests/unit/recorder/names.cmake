add_executable(recorder_names_test
  ${CMAKE_CURRENT_LIST_DIR}/names_code_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/names_code_view_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/names_csharp_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/names_metadata_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/names_native_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/names_process_facts_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/names_revision_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/names_signature_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/names_utf8_test.cc)
target_link_libraries(recorder_names_test
  PRIVATE hindsight_names GTest::gtest_main)
hindsight_discover_tests(recorder_names_test)
