# The explorer: who may send requests, what a request is, which address shows what, and the command itself.
add_executable(serve_test
  heap_pages_test.cc
  serve_access_test.cc
  serve_command_test.cc
  serve_explorer_test.cc
  serve_processes_test.cc
  serve_request_test.cc
  serve_server_test.cc)
target_compile_definitions(serve_test PRIVATE HINDSIGHT_BINARY="$<TARGET_FILE:hindsight>")
target_link_libraries(serve_test PRIVATE
  hindsight_test_serving hindsight_test_heap nlohmann_json::nlohmann_json GTest::gtest_main)
add_dependencies(serve_test hindsight)
hindsight_discover_tests(serve_test)
