# CPU samples of real processes, and what their handler may not do.
foreach(version 8 9 10)
  hindsight_publish_cpu_samples(cpu-samples-${version} net${version}.0 cpu_${version})
endforeach()
add_custom_target(live-cpu-samples ALL DEPENDS cpu-samples-8 cpu-samples-9 cpu-samples-10)
list(GET cpu_10 1 cpu_10_dll)

add_library(hindsight_cpu_profile STATIC harness/cpu_profile.cc)
target_link_libraries(hindsight_cpu_profile PUBLIC hindsight_live_harness hindsight_analyzer)
add_library(hindsight_cpu_harness STATIC harness/cpu_samples.cc)
target_compile_definitions(hindsight_cpu_harness PRIVATE
  HINDSIGHT_CPU_8="${cpu_8}"
  HINDSIGHT_CPU_9="${cpu_9}"
  HINDSIGHT_CPU_10="${cpu_10_dll}")
target_link_libraries(hindsight_cpu_harness PUBLIC hindsight_cpu_profile)
add_dependencies(hindsight_cpu_harness live-cpu-samples)

# Fails the process when the recorder's signal handler allocates or locks.
add_library(handler_guard SHARED interpose/handler_guard.cc)
target_link_libraries(handler_guard PRIVATE hindsight_flags)

hindsight_live_test(live_cpu_test cpu_test.cc)
hindsight_live_test(live_cpu_signals_test cpu_signals_test.cc)
hindsight_live_test(live_cpu_faults_test cpu_faults_test.cc)
hindsight_live_test(live_cpu_storm_test TIMEOUT 7200 cpu_storm_test.cc)
add_dependencies(live_cpu_storm_test handler_guard)
target_compile_definitions(live_cpu_storm_test PRIVATE
  HINDSIGHT_HANDLER_GUARD="$<TARGET_FILE:handler_guard>")
hindsight_live_test(live_surroundings_test SIDE_BY_SIDE TIMEOUT 7200 surroundings_test.cc)
foreach(test live_cpu_test live_cpu_signals_test live_cpu_faults_test live_cpu_storm_test live_surroundings_test)
  target_link_libraries(${test} PRIVATE hindsight_cpu_harness)
endforeach()

# A library in Go, whose runtime has requirements of its own for signal handlers.
find_program(HINDSIGHT_GO go)
if(HINDSIGHT_GO)
  set(goroutines ${CMAKE_CURRENT_BINARY_DIR}/goroutines.so)
  add_custom_command(OUTPUT ${goroutines}
    COMMAND ${CMAKE_COMMAND} -E env CGO_ENABLED=1 GOCACHE=${CMAKE_CURRENT_BINARY_DIR}/go-cache
      ${HINDSIGHT_GO} build -buildmode=c-shared -o ${goroutines}
      ${CMAKE_CURRENT_SOURCE_DIR}/apps/goroutines.go
    DEPENDS apps/goroutines.go
    COMMENT "Building a library in Go"
    VERBATIM)
  add_custom_target(goroutines DEPENDS ${goroutines})
  hindsight_live_test(live_cpu_go_test SIDE_BY_SIDE cpu_go_test.cc)
  target_compile_definitions(live_cpu_go_test PRIVATE HINDSIGHT_GO_LIBRARY="${goroutines}")
  target_link_libraries(live_cpu_go_test PRIVATE hindsight_cpu_harness)
  add_dependencies(live_cpu_go_test goroutines)
else()
  message(WARNING "No go here: the test of a library in Go is left out.")
endif()
