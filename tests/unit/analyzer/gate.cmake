# Measures, the budgets on them, and the verdicts.
add_executable(gate_test budget_rules_test.cc budget_verdicts_test.cc measures_test.cc)
target_link_libraries(gate_test PRIVATE hindsight_test_reading hindsight_test_heap GTest::gtest_main)
hindsight_discover_tests(gate_test)
