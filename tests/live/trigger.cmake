# The trigger with real processes: successes, and every failure that can be provoked here.
add_library(answering_profiler SHARED apps/answering_profiler.cc)
target_link_libraries(answering_profiler PRIVATE hindsight_flags)
# COM on Unix has no destructors in its vtables: no warning about classes without a virtual one.
target_compile_options(answering_profiler PRIVATE -Wno-non-virtual-dtor)
target_link_options(answering_profiler PRIVATE -static-libstdc++ -static-libgcc -Wl,-z,nodelete)

hindsight_live_test(trigger_refusals_test SIDE_BY_SIDE trigger_refusals_test.cc trigger_stage.cc)
hindsight_live_test(trigger_answers_test SIDE_BY_SIDE trigger_answers_test.cc trigger_stage.cc)
hindsight_live_test(trigger_recording_test SIDE_BY_SIDE trigger_recording_test.cc trigger_stage.cc)
hindsight_live_test(trigger_container_test SIDE_BY_SIDE trigger_container_test.cc trigger_stage.cc)
hindsight_live_test(trigger_find_test SIDE_BY_SIDE trigger_find_test.cc trigger_stage.cc)
hindsight_live_test(trigger_reach_test SIDE_BY_SIDE trigger_reach_test.cc trigger_stage.cc)
hindsight_live_test(live_serve_test SIDE_BY_SIDE serve_test.cc trigger_stage.cc)
target_link_libraries(live_serve_test PRIVATE hindsight_test_serving)
# In it, `testing` may resolve to the namespace hindsight::testing.
set_source_files_properties(serve_test.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_compile_definitions(live_serve_test PRIVATE HINDSIGHT_ANALYZER="$<TARGET_FILE:hindsight>")
add_dependencies(live_serve_test hindsight)
foreach(test trigger_refusals_test trigger_answers_test trigger_recording_test
        trigger_container_test trigger_find_test trigger_reach_test live_serve_test)
  target_link_libraries(${test} PRIVATE hindsight_trigger_core)
  target_compile_definitions(${test} PRIVATE
    HINDSIGHT_TRIGGER="$<TARGET_FILE:hindsight-trigger>"
    HINDSIGHT_RECORDER="$<TARGET_FILE:hindsight-recorder>"
    HINDSIGHT_ANSWERING_PROFILER="$<TARGET_FILE:answering_profiler>")
  add_dependencies(${test} hindsight-trigger hindsight-recorder answering_profiler)
endforeach()

add_library(plain_library SHARED apps/plain_library.cc)
foreach(test trigger_answers_test trigger_find_test)
  target_compile_definitions(${test} PRIVATE
    HINDSIGHT_PLAIN_LIBRARY="$<TARGET_FILE:plain_library>")
  add_dependencies(${test} plain_library)
endforeach()

# Makes threads of the recorder start late.
add_library(slow_threads SHARED interpose/slow_threads.cc)
target_link_libraries(slow_threads PRIVATE hindsight_flags)
add_dependencies(trigger_reach_test slow_threads)
target_compile_definitions(trigger_reach_test PRIVATE
  HINDSIGHT_SLOW_THREADS="$<TARGET_FILE:slow_threads>")
