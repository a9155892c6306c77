# A library without symbols, and the file that objcopy keeps them in, as distributions ship both.
set(symbols_sample ${CMAKE_CURRENT_BINARY_DIR}/symbols_sample)
add_library(symbols_sample SHARED symbols_sample.cc)
set_target_properties(symbols_sample PROPERTIES UNITY_BUILD OFF)
target_link_libraries(symbols_sample PRIVATE hindsight_flags)
target_link_options(symbols_sample PRIVATE -Wl,--build-id)
add_custom_command(TARGET symbols_sample POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E make_directory ${symbols_sample}
  COMMAND ${CMAKE_OBJCOPY} --only-keep-debug $<TARGET_FILE:symbols_sample> ${symbols_sample}/sample.sym
  COMMAND ${CMAKE_STRIP} --strip-all -o ${symbols_sample}/libsample.so $<TARGET_FILE:symbols_sample>
  COMMAND ${CMAKE_OBJCOPY} --add-gnu-debuglink=${symbols_sample}/sample.sym ${symbols_sample}/libsample.so
  VERBATIM)

add_executable(analyzer_symbols_test symbols_lines_test.cc symbols_native_test.cc symbols_pdb_test.cc)
target_compile_definitions(analyzer_symbols_test PRIVATE
  HINDSIGHT_SYMBOLS_WHOLE="$<TARGET_FILE:symbols_sample>"
  HINDSIGHT_SYMBOLS_STRIPPED="${symbols_sample}/libsample.so"
  HINDSIGHT_SYMBOLS_DEBUG="${symbols_sample}/sample.sym")
target_link_libraries(analyzer_symbols_test PRIVATE
  hindsight_test_symbols hindsight_analyzer GTest::gtest GTest::gtest_main)
add_dependencies(analyzer_symbols_test symbols_sample)
hindsight_discover_tests(analyzer_symbols_test)
