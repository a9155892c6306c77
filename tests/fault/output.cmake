# The recorder's disk side against full disks, read-only folders, failing writes and kill -9.
if(TARGET hindsight_output)
  set(output_support ${CMAKE_CURRENT_SOURCE_DIR}/../unit/recorder/output_test_support.cc)
  set(output_libraries hindsight_output hindsight_container hindsight_schema ${HINDSIGHT_ZSTD_STATIC}
                       GTest::gtest)

  # A program that records segments and prints what was written; the injector makes its writes fail.
  add_executable(output_fault_writer output_fault_writer.cc ${output_support})
  target_link_libraries(output_fault_writer PRIVATE ${output_libraries})
  add_library(output_fault_injector MODULE output_fault_injector.cc)
  target_compile_options(output_fault_injector PRIVATE -Wall -Wextra -Werror)

  add_executable(output_fault_test
    output_disk_test.cc
    output_kill_test.cc
    output_write_error_test.cc
    output_fault_run.cc
    ${output_support})
  target_link_libraries(output_fault_test PRIVATE ${output_libraries} GTest::gtest_main)
  add_dependencies(output_fault_test output_fault_writer output_fault_injector)
  target_compile_definitions(output_fault_test PRIVATE
    OUTPUT_FAULT_WRITER="$<TARGET_FILE:output_fault_writer>"
    OUTPUT_FAULT_INJECTOR="$<TARGET_FILE:output_fault_injector>")
  if(TARGET hindsight)
    target_sources(output_fault_test PRIVATE output_verify_test.cc)
    add_dependencies(output_fault_test hindsight)
    target_compile_definitions(output_fault_test PRIVATE HINDSIGHT_COMMAND="$<TARGET_FILE:hindsight>")
  endif()
  hindsight_discover_tests(output_fault_test)
endif()
