# The recorder in a process that unloads code all the time.
foreach(version 8 9 10)
  hindsight_publish(unloading-${version} PROJECT Unloading FRAMEWORK net${version}.0 OUTPUT unloading_${version})
endforeach()
list(GET unloading_10 1 unloading_10_dll)
hindsight_live_test(live_unloading_test SIDE_BY_SIDE TIMEOUT 7200 unloading_test.cc)
add_dependencies(live_unloading_test unloading-8 unloading-9 unloading-10)
target_compile_definitions(live_unloading_test PRIVATE
  HINDSIGHT_UNLOADING_8="${unloading_8}"
  HINDSIGHT_UNLOADING_9="${unloading_9}"
  HINDSIGHT_UNLOADING_10="${unloading_10_dll}")
