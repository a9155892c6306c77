# GcMask and RuntimeEntry, with a library that is named like the runtime's and keeps masks and tables where
# the runtime does. Memory that they search is not instrumented: sanitizers put gaps between variables.
if(NOT WIN32)
  add_library(fake_coreclr SHARED fake_coreclr.cc)
  set_target_properties(fake_coreclr PROPERTIES
    OUTPUT_NAME coreclr LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_coreclr)
  if(HINDSIGHT_SANITIZE)
    target_compile_options(fake_coreclr PRIVATE -fno-sanitize=all)
  endif()
  add_executable(recorder_gc_mask_test gc_mask_test.cc runtime_library_test.cc)
  target_compile_options(recorder_gc_mask_test PRIVATE -fno-rtti)
  target_link_libraries(recorder_gc_mask_test PRIVATE
    hindsight_recorder_core hindsight_schema fake_coreclr ${HINDSIGHT_ZSTD_STATIC} GTest::gtest_main)
  hindsight_discover_tests(recorder_gc_mask_test)
endif()
