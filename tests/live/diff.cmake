# Pairs of recordings whose differences are known. HINDSIGHT_DIFF_REPEATS=20 live_diff_test is
# the long run.
hindsight_live_test(live_diff_test diff_test.cc)
target_link_libraries(live_diff_test PRIVATE hindsight_cpu_harness)
target_compile_definitions(live_diff_test PRIVATE
  HINDSIGHT_ALLOCATION_HOT_10="${allocation_hot_10}" HINDSIGHT_GC_PRESSURE_10="${gc_pressure_10}")
add_dependencies(live_diff_test allocation-hot-10 gc-pressure-10)
