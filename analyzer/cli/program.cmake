# hindsight_program(TARGET): links a program that is described with analyzer/cli as it is shipped.
#
# With HINDSIGHT_STATIC it has no shared library and no loader, so it runs on every Linux, in an empty
# root, too. Position-independent where the compiler makes such code by itself. Such a program must
# not load anything either: no names of users or hosts from libc, no plug-ins (tests/house looks).
#
# It tells the commit that it was built from (cli/commit.h); HINDSIGHT_COMMIT where there is no git.
set(HINDSIGHT_COMMIT "" CACHE STRING "What --version tells as the commit; empty: git knows")

if(HINDSIGHT_STATIC)
  include(CheckCXXSourceCompiles)
  check_cxx_source_compiles("
    #if !defined(__PIE__) && !defined(__pie__)
    #error
    #endif
    int main() {}" HINDSIGHT_CODE_IS_PIE)
  # The linker warns of libc's dlopen though ours takes its place, and of nothing else that tests/house
  # does not look for.
  include(CheckLinkerFlag)
  check_linker_flag(CXX -Wl,--no-warnings HINDSIGHT_LINKS_WITHOUT_WARNINGS)
endif()

set(commit_source ${PROJECT_BINARY_DIR}/commit.cc)
set(commit_script ${CMAKE_CURRENT_LIST_DIR}/commit.cmake)
add_custom_target(hindsight-commit
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${commit_source} -DSOURCES=${PROJECT_SOURCE_DIR}
          -DCOMMIT=${HINDSIGHT_COMMIT} -P ${commit_script}
  BYPRODUCTS ${commit_source}
  COMMENT ""
  VERBATIM)
add_library(hindsight_commit STATIC ${commit_source})
target_link_libraries(hindsight_commit PRIVATE hindsight_flags)
add_dependencies(hindsight_commit hindsight-commit)

function(hindsight_program target)
  target_link_libraries(${target} PRIVATE hindsight_commit)
  if(HINDSIGHT_STATIC)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/analyzer/cli/no_plugins.cc)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/analyzer/cli/no_plugins.cc
      PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    if(HINDSIGHT_LINKS_WITHOUT_WARNINGS)
      target_link_options(${target} PRIVATE -Wl,--no-warnings)
    endif()
    if(HINDSIGHT_CODE_IS_PIE)
      target_link_options(${target} PRIVATE -static-pie)
    else()
      target_link_options(${target} PRIVATE -static)
    endif()
  elseif(WIN32)
    # Nothing but what comes with Windows.
    target_link_options(${target} PRIVATE -static)
  elseif(NOT HINDSIGHT_SANITIZE)
    # Runs where nothing but libc is installed.
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()
