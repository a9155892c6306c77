# hindsight_publish(<target> PROJECT <folder below samples/ or an absolute one> FRAMEWORK <net8.0|net9.0|net10.0>
#                   OUTPUT <variable> [SOURCES <glob>...]
#                   [CONFIGURATION Debug] [PROPERTIES <NAME=VALUE>...] [SINGLE_FILE] [ALONE])
#
# A target that publishes a C# project into the build directory and sets <variable> to the command
# that runs it. net10.0 runs on the installed runtime; older ones come with it from NuGet, whose
# packages stay in the user's cache. Published again only when a source has changed.
#
# SOURCES: what the project compiles from outside its own folder and Common. One project is published
# once for each framework and configuration; PROPERTIES belong to that.
#
# One process publishes all that is out of date (publish.proj): most of what `dotnet publish` takes is
# its start. So building one of these targets builds them all. ALONE: by itself, when it is asked for.
#
# SINGLE_FILE: one file that contains the program, its libraries and the runtime.
include_guard(GLOBAL)
find_program(HINDSIGHT_DOTNET dotnet DOC "The .NET SDK, 10 or newer: for samples and live tests")

set_property(GLOBAL APPEND PROPERTY JOB_POOLS hindsight_dotnet=1)
cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL hindsight_publish_registered)

function(hindsight_publish target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALONE;SINGLE_FILE" "PROJECT;FRAMEWORK;OUTPUT;CONFIGURATION"
                        "SOURCES;PROPERTIES")
  if(NOT HINDSIGHT_DOTNET)
    message(FATAL_ERROR "dotnet was not found. Install the .NET SDK 10 (https://dot.net), or "
                        "configure with -DHINDSIGHT_LIVE_TESTS=OFF -DHINDSIGHT_BUILD_BENCH=OFF.")
  endif()
  cmake_path(ABSOLUTE_PATH arg_PROJECT BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/samples)
  cmake_path(GET arg_PROJECT FILENAME name)
  set(out ${PROJECT_BINARY_DIR}/samples/${name}-${arg_FRAMEWORK})
  if(NOT arg_CONFIGURATION)
    set(arg_CONFIGURATION Release)
  else()
    string(APPEND out -${arg_CONFIGURATION})
  endif()
  if(arg_SINGLE_FILE)
    string(APPEND out -single-file)
    list(APPEND arg_PROPERTIES PublishSingleFile=true)
  endif()
  # The properties that `dotnet publish` derives from its options -c, -r, -o and the like.
  set(properties Configuration=${arg_CONFIGURATION} SampleFramework=${arg_FRAMEWORK} ArtifactsPath=${out}.artifacts
                 PublishDir=${out}/ _IsPublishing=true ${arg_PROPERTIES})
  if(arg_FRAMEWORK STREQUAL "net10.0" AND NOT arg_SINGLE_FILE)
    list(APPEND properties SelfContained=false UseAppHost=false)
    set(command ${HINDSIGHT_DOTNET} ${out}/${name}.dll)
  else()
    list(APPEND properties SelfContained=true RuntimeIdentifier=linux-x64)
    set(command ${out}/${name})
  endif()
  set(${arg_OUTPUT} ${command} PARENT_SCOPE)

  # Another caller may have asked for the same output already.
  add_custom_target(${target})
  get_property(known GLOBAL PROPERTY hindsight_publisher_of_${out})
  if(NOT known)
    set(known publish_samples)
    if(arg_ALONE)
      set(known publish_${name}_${arg_FRAMEWORK})
    endif()
    set_property(GLOBAL PROPERTY hindsight_publisher_of_${out} ${known})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${arg_PROJECT}/*.cs ${arg_PROJECT}/*.csproj
         ${PROJECT_SOURCE_DIR}/samples/Common/*.cs ${arg_SOURCES})
    list(APPEND sources ${PROJECT_SOURCE_DIR}/samples/Directory.Build.props)
    string(CONCAT entry "set(out ${out})\nset(project ${arg_PROJECT}/${name}.csproj)\n"
      "set(properties ${properties})\nset(sources ${sources})\npublish_if_stale()\n")
    if(arg_ALONE)
      hindsight_publish_list(${known} "${entry}" ${sources})
    else()
      set_property(GLOBAL APPEND_STRING PROPERTY hindsight_samples "${entry}")
      set_property(GLOBAL APPEND PROPERTY hindsight_sample_sources ${sources})
    endif()
  endif()
  add_dependencies(${target} ${known})
endfunction()

# hindsight_publish_list(<target> <entries> <sources>...): publishes those entries that are stale.
function(hindsight_publish_list target entries)
  set(list ${PROJECT_BINARY_DIR}/samples/${target}.cmake)
  file(CONFIGURE OUTPUT ${list} CONTENT "@entries@" @ONLY)
  set(sources ${ARGN})
  list(REMOVE_DUPLICATES sources)
  set(here ${PROJECT_SOURCE_DIR}/samples)
  add_custom_command(
    OUTPUT ${list}.published
    COMMAND ${CMAKE_COMMAND} -DDOTNET=${HINDSIGHT_DOTNET} -DSAMPLES=${list} -P ${here}/publish_samples.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${list}.published
    DEPENDS ${sources} ${list} ${here}/publish_samples.cmake ${here}/publish.proj
    JOB_POOL hindsight_dotnet
    COMMENT "Publishing samples"
    VERBATIM)
  add_custom_target(${target} DEPENDS ${list}.published)
endfunction()

# Once all are known.
function(hindsight_publish_registered)
  get_property(entries GLOBAL PROPERTY hindsight_samples)
  get_property(sources GLOBAL PROPERTY hindsight_sample_sources)
  if(entries)
    hindsight_publish_list(publish_samples "${entries}" ${sources})
  endif()
endfunction()

# hindsight_publish_heap_samples(<target> <framework> <variable>): all samples about heaps.
function(hindsight_publish_heap_samples target framework variable)
  set(samples ${PROJECT_SOURCE_DIR}/samples)
  hindsight_publish(${target} PROJECT HeapSamples FRAMEWORK ${framework} OUTPUT command
    SOURCES ${samples}/*Leak/*.cs ${samples}/BigHeap/*.cs ${samples}/GraphShapes/*.cs
            ${samples}/Healthy/*.cs)
  set(${variable} ${command} PARENT_SCOPE)
endfunction()

# The same for all samples about waits.
function(hindsight_publish_wait_samples target framework variable)
  set(samples ${PROJECT_SOURCE_DIR}/samples)
  hindsight_publish(${target} PROJECT WaitSamples FRAMEWORK ${framework} OUTPUT command
    SOURCES ${samples}/*Deadlock/*.cs ${samples}/SyncOverAsync/*.cs ${samples}/StuckTask/*.cs
            ${samples}/PoolStarvation/*.cs ${samples}/Contention/*.cs ${samples}/ZombieThread/*.cs
            ${samples}/ThreadLeak/*.cs ${samples}/SlowButAlive/*.cs ${samples}/Stress/*.cs
            ${samples}/HeldLocks/*.cs ${samples}/SlowHandles/*.cs ${samples}/CompiledCalls/*.cs)
  set(${variable} ${command} PARENT_SCOPE)
endfunction()

# The same for all samples about CPU time.
function(hindsight_publish_cpu_samples target framework variable)
  set(samples ${PROJECT_SOURCE_DIR}/samples)
  hindsight_publish(${target} PROJECT CpuSamples FRAMEWORK ${framework} OUTPUT command
    SOURCES ${samples}/CpuHot/*.cs ${samples}/ManyThreads/*.cs ${samples}/OwnSignals/*.cs
            ${samples}/Surroundings/*.cs)
  set(${variable} ${command} PARENT_SCOPE)
endfunction()
