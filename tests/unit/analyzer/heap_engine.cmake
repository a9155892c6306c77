# The heap graph, its reader, and which objects keep which alive.
add_executable(heap_engine_test dominators_test.cc heap_graph_test.cc
  heap_reader_damage_test.cc heap_reader_test.cc heap_survivors_test.cc heap_threads_test.cc)
target_link_libraries(heap_engine_test PRIVATE hindsight_test_heap GTest::gtest_main)
hindsight_discover_tests(heap_engine_test PROPERTIES TIMEOUT 300)
