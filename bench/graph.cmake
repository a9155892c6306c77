# What the analyzer needs for the graph of a heap.
set(test_support ${PROJECT_SOURCE_DIR}/tests/support)
add_executable(hindsight-bench-graph
  graph/generator.cc
  graph/main.cc
  ${test_support}/heap_file.cc
  ${test_support}/recording_builder.cc)
target_link_libraries(hindsight-bench-graph PRIVATE hindsight_analyzer CLI11::CLI11)
