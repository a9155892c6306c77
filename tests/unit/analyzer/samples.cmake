# Samples: from their packets to the model, and what is made of their paths.
add_executable(samples_test samples_test.cc collections_test.cc)
target_link_libraries(samples_test PRIVATE hindsight_test_reading GTest::gtest_main)
gtest_discover_tests(samples_test)
