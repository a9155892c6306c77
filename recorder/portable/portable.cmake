# One libhindsight.so per processor for every Linux: it needs nothing newer than glibc 2.17, and loads on
# musl.
#
# The objects are those of any build. Only the link differs: instead of libc it uses three stubs, generated
# from the list in symbols.txt, each symbol with its old version; what old libcs lack is in compat.cc.
# The alternative, a build on an old system, would need that system's compilers for everything.

# For the code of the library. musl refuses the initial-exec model, and glibc reserves room for
# descriptors: see base/thread_local.h.
function(hindsight_compile_portably)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE
      $<$<AND:$<CXX_COMPILER_ID:GNU>,$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>>:-mtls-dialect=gnu2>)
  endforeach()
endfunction()

# hindsight_link_portably(TARGET): TARGET must be the only one that is linked in its folder.
macro(hindsight_link_portably target)
  set(portable ${PROJECT_SOURCE_DIR}/recorder/portable)
  add_subdirectory(portable)
  target_sources(${target} PRIVATE ${portable}/compat.cc)
  set_source_files_properties(${portable}/compat.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    target_sources(${target} PRIVATE ${portable}/compat_arm64.cc)
  endif()
  target_link_options(${target} PRIVATE -nodefaultlibs)
  # Part of libc's own link script; it contains what every program must link itself (atexit).
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libc_nonshared.a
                  OUTPUT_VARIABLE nonshared OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(stubs "")
  foreach(library c pthread dl)
    list(APPEND stubs ${CMAKE_CURRENT_BINARY_DIR}/portable/libhindsight_stub_${library}.so)
  endforeach()
  # After everything else, so that they resolve all references.
  list(JOIN stubs " " files)
  set(CMAKE_CXX_STANDARD_LIBRARIES
      "-Wl,--start-group -l:libstdc++.a -l:libgcc_eh.a -l:libgcc.a -Wl,--end-group ${files} ${nonshared}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${stubs})
  add_dependencies(${target} hindsight_stub_c hindsight_stub_pthread hindsight_stub_dl)
  set_target_properties(${target} PROPERTIES RULE_LAUNCH_LINK "sh ${portable}/link.sh ${portable}")
endmacro()
