# Tests are compiled more often than they run: so they are not optimized, headers that nearly all include
# are compiled once (precompiled.h), and with HINDSIGHT_UNITY the files of a test are compiled together.
include_guard(GLOBAL)

# Compiled alone: names in their unnamed namespaces clash with those in other files of the same test.
set(HINDSIGHT_TESTS_ALONE
  cli_manners_test.cc
  comparison_test.cc
  gc_report_test.cc
  lock_packets_test.cc
  managed_code_test.cc
  output_segment_writer_test.cc
  rules_test.cc
  signal_walker_test.cc
  stuck_tasks_test.cc
  thread_scan_test.cc
  trigger_reach_test.cc
  wait_queues_test.cc)

# All targets of a folder and those below it.
function(hindsight_targets_below folder variable)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    hindsight_targets_below(${below} more)
    list(APPEND targets ${more})
  endforeach()
  set(${variable} ${targets} PARENT_SCOPE)
endfunction()

# hindsight_precompile_tests(<folder>): once all its targets are known.
function(hindsight_precompile_tests folder)
  set(header ${PROJECT_SOURCE_DIR}/tests/precompiled.h)
  # The compiler accepts only a header compiled with the same options. JSON is only for tests that use it:
  # with it in the header, GCC instantiates the parser again for every file.
  foreach(kind plain nortti json)
    add_library(hindsight_precompiled_${kind} OBJECT ${PROJECT_SOURCE_DIR}/tests/precompiled.cc)
    target_link_libraries(hindsight_precompiled_${kind} PRIVATE hindsight_flags GTest::gtest)
    target_precompile_headers(hindsight_precompiled_${kind} PRIVATE ${header})
  endforeach()
  target_compile_options(hindsight_precompiled_nortti PRIVATE -fno-rtti)
  target_precompile_headers(hindsight_precompiled_json PRIVATE <nlohmann/json.hpp>)

  hindsight_targets_below(${folder} targets)
  foreach(target IN LISTS targets)
    set_target_properties(${target} PROPERTIES HINDSIGHT_IS_TEST ON)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    # The live tests get GoogleTest from their harness.
    if(NOT libraries MATCHES "GTest::|_harness|_raw_recording" OR target MATCHES "^hindsight_precompiled_")
      continue()
    endif()
    get_target_property(options ${target} COMPILE_OPTIONS)
    if(options MATCHES "-fno-rtti")
      set(kind nortti)
    elseif(libraries MATCHES "nlohmann_json::|_harness|_raw_recording")
      set(kind json)
    else()
      set(kind plain)
    endif()
    target_precompile_headers(${target} REUSE_FROM hindsight_precompiled_${kind})
    if(HINDSIGHT_UNITY)
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
      get_target_property(sources ${target} SOURCES)
      get_target_property(source_folder ${target} SOURCE_DIR)
      foreach(source IN LISTS sources)
        get_filename_component(name ${source} NAME)
        if(name IN_LIST HINDSIGHT_TESTS_ALONE)
          get_filename_component(source ${source} ABSOLUTE BASE_DIR ${source_folder})
          set_source_files_properties(${source} TARGET_DIRECTORY ${target}
            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        endif()
      endforeach()
    endif()
  endforeach()
endfunction()
