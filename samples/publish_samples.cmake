# cmake -DDOTNET=... -DSAMPLES=LIST -P publish_samples.cmake: publishes what is out of date of the samples
# that LIST names (written by publish.cmake), in one process.
set(items "")
set(stale "")

# Uses the variables that LIST has just set for one entry: out, project, properties, sources.
# OUT.published contains the properties it was made with.
macro(publish_if_stale)
  set(made_with "")
  if(EXISTS ${out}.published)
    file(READ ${out}.published made_with)
  endif()
  set(is_stale OFF)
  if(NOT "${made_with}" STREQUAL "${properties}")
    set(is_stale ON)
  endif()
  foreach(source IN LISTS sources)
    # Also true if one of the two is missing.
    if("${source}" IS_NEWER_THAN "${out}.published")
      set(is_stale ON)
    endif()
  endforeach()
  if(is_stale)
    list(APPEND stale ${out})
    set(properties_of_${out} "${properties}")
    string(APPEND items "    <Sample Include=\"${project}\" AdditionalProperties=\"${properties}\" />\n")
  endif()
endmacro()
include(${SAMPLES})
if(NOT items)
  return()
endif()

set(list ${SAMPLES}.props)
file(WRITE ${list} "<Project>\n  <ItemGroup>\n${items}  </ItemGroup>\n</Project>\n")
get_filename_component(here ${CMAKE_CURRENT_LIST_FILE} DIRECTORY)
# Into a file: what it starts may outlive it, and whoever builds waits for all that can write to its output.
execute_process(
  COMMAND ${DOTNET} msbuild ${here}/publish.proj -p:SampleList=${list} -nodeReuse:false -maxCpuCount:1
          -nologo -verbosity:quiet
  OUTPUT_FILE ${SAMPLES}.log
  ERROR_FILE ${SAMPLES}.log
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  file(READ ${SAMPLES}.log log)
  message(FATAL_ERROR "Samples could not be published (${list}).\n${log}")
endif()
foreach(out IN LISTS stale)
  file(WRITE ${out}.published "${properties_of_${out}}")
endforeach()
