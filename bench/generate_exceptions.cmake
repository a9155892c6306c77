# Makes a recording of millions of exceptions, to measure the analyzer's time and memory.
if(TARGET hindsight_test_support)
  add_executable(generate_exceptions generate_exceptions.cc)
  target_link_libraries(generate_exceptions PRIVATE hindsight_test_support)
endif()
