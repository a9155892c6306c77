# Allocations and collections, with the truth reported by the runtime or the program itself.
foreach(version 8 9 10)
  hindsight_publish(allocation-hot-${version} PROJECT AllocationHot FRAMEWORK net${version}.0
                    OUTPUT allocation_hot_${version})
  hindsight_publish(gc-pressure-${version} PROJECT GcPressure FRAMEWORK net${version}.0
                    OUTPUT gc_pressure_${version})
endforeach()
list(GET allocation_hot_10 1 allocation_hot_10)
list(GET gc_pressure_10 1 gc_pressure_10)
add_library(hindsight_raw_recording STATIC harness/allocation_truth.cc harness/raw_recording.cc
  harness/served_requests.cc)
target_link_libraries(hindsight_raw_recording PUBLIC
  hindsight_live_harness hindsight_schema ${HINDSIGHT_ZSTD_STATIC})

hindsight_live_test(live_allocations_test allocations_test.cc)
hindsight_live_test(live_gc_test gc_test.cc)
hindsight_live_test(live_survivors_test SIDE_BY_SIDE survivors_test.cc)
foreach(version 8 9 10)
  target_compile_definitions(live_allocations_test PRIVATE
    HINDSIGHT_ALLOCATION_HOT_${version}="${allocation_hot_${version}}")
  target_compile_definitions(live_survivors_test PRIVATE
    HINDSIGHT_ALLOCATION_HOT_${version}="${allocation_hot_${version}}")
  target_compile_definitions(live_gc_test PRIVATE
    HINDSIGHT_GC_PRESSURE_${version}="${gc_pressure_${version}}")
  add_dependencies(live_allocations_test allocation-hot-${version})
  add_dependencies(live_survivors_test allocation-hot-${version})
  add_dependencies(live_gc_test gc-pressure-${version})
endforeach()
target_link_libraries(live_allocations_test PRIVATE hindsight_raw_recording)
target_link_libraries(live_survivors_test PRIVATE hindsight_raw_recording)
target_link_libraries(live_gc_test PRIVATE hindsight_raw_recording)
