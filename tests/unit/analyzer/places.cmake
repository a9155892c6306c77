# Which code is the application's, places, and time by methods of the application.
add_executable(places_test inlined_places_test.cc own_methods_test.cc places_test.cc)
target_link_libraries(places_test PRIVATE hindsight_test_reading GTest::gtest_main)
hindsight_discover_tests(places_test)
