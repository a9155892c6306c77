# The recorder's work neither disturbs the application nor is reported as the application's.
hindsight_live_test(live_unfelt_test unfelt_test.cc)
foreach(version 8 9 10)
  hindsight_publish(thread-churn-${version} PROJECT ThreadChurn FRAMEWORK net${version}.0
                    OUTPUT thread_churn_${version})
  list(POP_BACK thread_churn_${version} program)
  target_compile_definitions(live_unfelt_test PRIVATE
    HINDSIGHT_THREAD_CHURN_${version}="${program}")
  add_dependencies(live_unfelt_test thread-churn-${version})
endforeach()
target_link_libraries(live_unfelt_test PRIVATE hindsight_raw_recording)
