# Heap snapshots of real processes.
add_library(hindsight_heap_harness STATIC harness/heap_snapshot.cc)
target_link_libraries(hindsight_heap_harness PUBLIC hindsight_live_harness hindsight_analyzer)
hindsight_optimize(harness/heap_snapshot.cc)

# For tests/windows/run: compares recordings that were made elsewhere.
add_executable(recording_truth ${PROJECT_SOURCE_DIR}/tests/windows/truth.cc)
target_link_libraries(recording_truth PRIVATE
  hindsight_cpu_profile hindsight_heap_harness hindsight_raw_recording)
hindsight_live_test(live_heap_truth_test SIDE_BY_SIDE heap_truth_test.cc)
hindsight_live_test(live_heap_snapshot_test SIDE_BY_SIDE heap_snapshot_test.cc)
hindsight_live_test(live_heap_reliability_test WAITING "*ABusyProcess*" heap_reliability_test.cc)
hindsight_live_test(live_heap_endurance_test SIDE_BY_SIDE TIMEOUT 7200 heap_endurance_test.cc)
hindsight_live_test(live_heap_locks_test SIDE_BY_SIDE heap_locks_test.cc)
hindsight_live_test(live_heap_start_test SIDE_BY_SIDE heap_start_test.cc)
hindsight_live_test(live_single_file_test SIDE_BY_SIDE single_file_test.cc)
foreach(version 8 9 10)
  hindsight_publish(single-file-${version} PROJECT GraphShapes FRAMEWORK net${version}.0 SINGLE_FILE OUTPUT program)
  add_dependencies(live_single_file_test single-file-${version})
  target_compile_definitions(live_single_file_test PRIVATE HINDSIGHT_SINGLE_FILE_${version}="${program}")
endforeach()
foreach(test live_heap_snapshot_test live_heap_reliability_test live_heap_locks_test
        live_heap_start_test live_heap_endurance_test live_single_file_test)
  target_link_libraries(${test} PRIVATE hindsight_heap_harness)
endforeach()

# Delays the runtime's start.
add_library(slow_start SHARED interpose/slow_start.cc)
target_link_libraries(slow_start PRIVATE hindsight_flags)
add_dependencies(live_heap_start_test slow_start)
target_compile_definitions(live_heap_start_test PRIVATE
  HINDSIGHT_SLOW_START="$<TARGET_FILE:slow_start>")
