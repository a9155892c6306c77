# Tests are compiled more often than they run: so they are not optimized, and what nearly all of them
# include is compiled once (precompiled.h).
include_guard(GLOBAL)

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
  foreach(kind plain nortti)
    # The compiler takes what was compiled with the same options only.
    add_library(hindsight_precompiled_${kind} OBJECT ${PROJECT_SOURCE_DIR}/tests/precompiled.cc)
    target_link_libraries(hindsight_precompiled_${kind} PRIVATE hindsight_flags GTest::gtest)
    target_precompile_headers(hindsight_precompiled_${kind} PRIVATE ${header})
  endforeach()
  target_compile_options(hindsight_precompiled_nortti PRIVATE -fno-rtti)

  hindsight_targets_below(${folder} targets)
  foreach(target IN LISTS targets)
    set_target_properties(${target} PROPERTIES HINDSIGHT_IS_TEST ON)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    if(NOT libraries MATCHES "GTest::" OR target MATCHES "^hindsight_precompiled_")
      continue()
    endif()
    get_target_property(options ${target} COMPILE_OPTIONS)
    if(options MATCHES "-fno-rtti")
      target_precompile_headers(${target} REUSE_FROM hindsight_precompiled_nortti)
    else()
      target_precompile_headers(${target} REUSE_FROM hindsight_precompiled_plain)
    endif()
  endforeach()
endfunction()
