# Heap snapshots of real processes.
hindsight_live_test(live_heap_truth_test heap_truth_test.cc)
hindsight_live_test(live_heap_snapshot_test heap_snapshot_test.cc harness/heap_snapshot.cc)
hindsight_live_test(live_heap_reliability_test heap_reliability_test.cc harness/heap_snapshot.cc)
hindsight_live_test(live_heap_locks_test heap_locks_test.cc harness/heap_snapshot.cc)
foreach(test live_heap_snapshot_test live_heap_reliability_test live_heap_locks_test)
  target_link_libraries(${test} PRIVATE hindsight_analyzer)
endforeach()
