# What the first page says about each sample.
hindsight_live_test(live_summary_test WAITING Summary.ReportsWhatWillNeverGoOn summary_test.cc)
target_link_libraries(live_summary_test PRIVATE hindsight_cpu_harness)
target_compile_definitions(live_summary_test PRIVATE
  HINDSIGHT_ALLOCATION_HOT_10="${allocation_hot_10}"
  HINDSIGHT_GC_PRESSURE_10="${gc_pressure_10}")
add_dependencies(live_summary_test allocation-hot-10 gc-pressure-10)
