# Naming, the bounded aggregates, and the tracker of exceptions.
add_executable(exception_model_test
  aggregates_test.cc
  exception_rules_test.cc
  exceptions_test.cc
  naming_test.cc)
target_link_libraries(exception_model_test PRIVATE hindsight_analyzer GTest::gtest_main)
hindsight_discover_tests(exception_model_test)
