# The walk from a signal: prologs, native unwind tables, and real signals.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(of_processor call_instruction_arm64_test.cc eh_frame_arm64_test.cc machine_code_arm64.cc prolog_arm64_test.cc)
else()
  set(of_processor call_instruction_test.cc eh_frame_test.cc machine_code_x64.cc prolog_test.cc)
endif()
add_executable(recorder_stack_test
  ${of_processor}
  guessed_frame_test.cc
  managed_code_test.cc
  signal_walker_test.cc
  signal_walker_code.cc
  unwind_cache_test.cc)
target_compile_options(recorder_stack_test PRIVATE -fno-rtti)
# Code compiled as usual, without frame pointers. Its options differ from those of the tests'
# precompiled header.
set_source_files_properties(signal_walker_code.cc PROPERTIES SKIP_PRECOMPILE_HEADERS ON
  COMPILE_OPTIONS "-O2;-fomit-frame-pointer;-fno-optimize-sibling-calls")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  # With signed return addresses.
  set_property(SOURCE signal_walker_code.cc APPEND PROPERTY COMPILE_OPTIONS -mbranch-protection=pac-ret)
endif()
target_link_libraries(recorder_stack_test PRIVATE hindsight_recorder_core GTest::gtest_main)
hindsight_discover_tests(recorder_stack_test PROPERTIES LABELS threads)

# Code that reads tables and machine code of arm64 does so on any processor.
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(stack ${PROJECT_SOURCE_DIR}/recorder/stack)
  add_library(hindsight_unwind_arm64 STATIC
    ${stack}/call_frame_program.cc ${stack}/call_frame_state_arm64.cc
    ${stack}/../names/call_instruction_arm64.cc ${stack}/prolog_arm64.cc)
  target_link_libraries(hindsight_unwind_arm64 PUBLIC hindsight_flags)
  add_executable(recorder_arm64_test call_instruction_arm64_test.cc eh_frame_arm64_test.cc prolog_arm64_test.cc)
  target_link_libraries(recorder_arm64_test PRIVATE hindsight_unwind_arm64 GTest::gtest_main)
  hindsight_discover_tests(recorder_arm64_test)
endif()
