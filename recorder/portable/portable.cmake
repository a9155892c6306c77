# One libhindsight.so for every Linux on x64: it asks for nothing newer than glibc 2.17, and loads on
# musl.
#
# The objects are those of any build. Only the link differs: it sees no libc but three stubs, made of
# the list in symbols.txt, each with a symbol's old version; what old libcs lack comes from compat.cc.
# Where an executable is built on an old system to the same end, everything would have to be, with the
# compilers of that time.

# Of what the library is made. musl refuses the initial-exec model, and glibc keeps room for
# descriptors: see base/thread_local.h.
function(hindsight_compile_portably)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE
      $<$<AND:$<CXX_COMPILER_ID:GNU>,$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>>:-mtls-dialect=gnu2>)
  endforeach()
endfunction()

# The stubs: hindsight_stub_c, _pthread and _dl, with the names that the loader knows.
function(hindsight_make_stubs)
  set(list ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/symbols.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} lines REGEX "^[^#]")
  set(file_c libc.so.6)
  set(file_pthread libpthread.so.0)
  set(file_dl libdl.so.2)
  foreach(library c pthread dl)
    set(code "// Made of recorder/portable/symbols.txt.\n")
    set(versions "")
    foreach(line IN LISTS lines)
      if(NOT line MATCHES "^([A-Za-z0-9_]+) (-|GLIBC_2\\.[0-9.]+) (c|pthread|dl)( ([0-9]+))?$")
        message(FATAL_ERROR "recorder/portable/symbols.txt: '${line}' is no "
                            "'SYMBOL VERSION LIBRARY [BYTES]'.")
      endif()
      set(symbol ${CMAKE_MATCH_1})
      set(version ${CMAKE_MATCH_2})
      set(bytes ${CMAKE_MATCH_5})
      if(version MATCHES "^GLIBC_2\\.([0-9]+)" AND CMAKE_MATCH_1 GREATER 17)
        message(FATAL_ERROR "recorder/portable/symbols.txt: ${symbol} asks for ${version}; what "
                            "glibc 2.17 does not have is supplied by compat.cc.")
      endif()
      if(NOT line MATCHES " ${library}( [0-9]+)?$")
        continue()
      endif()
      if(bytes)
        string(APPEND code "extern \"C\" { extern char ${symbol}[${bytes}]; "
                           "char ${symbol}[${bytes}] = {1}; }\n")
      else()
        string(APPEND code "asm(\".globl ${symbol}\\n.type ${symbol},@function\\n${symbol}:\");\n")
      endif()
      if(NOT version STREQUAL "-")
        list(APPEND versions ${version})
        list(APPEND of_${version} ${symbol})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES versions)
    set(map "")
    foreach(version IN LISTS versions)
      list(JOIN of_${version} "; " symbols)
      string(APPEND map "${version} { ${symbols}; };\n")
      unset(of_${version})
    endforeach()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/stubs)
    file(CONFIGURE OUTPUT ${folder}/${library}.cc CONTENT "@code@" @ONLY)
    file(CONFIGURE OUTPUT ${folder}/${library}.map CONTENT "@map@" @ONLY)
    set(stub hindsight_stub_${library})
    add_library(${stub} SHARED ${folder}/${library}.cc)
    set_target_properties(${stub} PROPERTIES
      NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY ${folder} LINK_DEPENDS ${folder}/${library}.map)
    target_compile_options(${stub} PRIVATE -fno-lto)
    target_link_options(${stub} PRIVATE
      -nostdlib -Wl,-soname,${file_${library}} -Wl,--version-script=${folder}/${library}.map)
  endforeach()
endfunction()

# hindsight_link_portably(TARGET): TARGET is a shared library that may throw nothing.
function(hindsight_link_portably target)
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  hindsight_make_stubs()
  # Of libc's own link script; it holds what a program has to bring along (atexit).
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libc_nonshared.a
                  OUTPUT_VARIABLE nonshared OUTPUT_STRIP_TRAILING_WHITESPACE)
  target_sources(${target} PRIVATE ${here}/compat.cc)
  set_source_files_properties(${here}/compat.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_options(${target} PRIVATE -nodefaultlibs)
  target_link_libraries(${target} PRIVATE
    -Wl,--start-group -l:libstdc++.a -l:libgcc_eh.a -l:libgcc.a -Wl,--end-group
    hindsight_stub_c hindsight_stub_pthread hindsight_stub_dl ${nonshared})
  set_target_properties(${target} PROPERTIES
    SKIP_BUILD_RPATH ON  # the stubs are for the linker only
    RULE_LAUNCH_LINK "sh ${here}/link.sh ${here}")
endfunction()
