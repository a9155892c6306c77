# What the page's drawings are made from.
add_executable(drawings_test page_treemap_test.cc page_wait_graph_test.cc)
target_link_libraries(drawings_test PRIVATE hindsight_test_heap nlohmann_json::nlohmann_json GTest::gtest_main)
hindsight_discover_tests(drawings_test)
