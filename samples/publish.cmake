# hindsight_publish(<target> PROJECT <folder below samples/ or an absolute one> FRAMEWORK <net8.0|net9.0|net10.0>
#                   OUTPUT <variable> [SOURCES <glob>...]
#                   [CONFIGURATION Debug] [PROPERTIES <-p:...>...])
#
# SOURCES: what the project compiles from outside its own folder and Common. One project is published
# once for each framework and configuration; PROPERTIES belong to that.
# A target that publishes a C# project into the build directory and sets <variable> to the command
# that runs it. net10.0 runs on the installed runtime; older ones come with it from NuGet, whose
# packages stay in the user's cache. Published again only when a source has changed.
include_guard(GLOBAL)
find_program(HINDSIGHT_DOTNET dotnet DOC "The .NET SDK, 10 or newer: for samples and live tests")

# One publish at a time: the .NET SDK takes several cores as it is.
set_property(GLOBAL APPEND PROPERTY JOB_POOLS hindsight_dotnet=1)

function(hindsight_publish target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROJECT;FRAMEWORK;OUTPUT;CONFIGURATION"
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
  set(arguments -c ${arg_CONFIGURATION} ${arg_PROPERTIES} -p:SampleFramework=${arg_FRAMEWORK} -p:UseSharedCompilation=false
                -nodeReuse:false -nologo -v quiet --artifacts-path ${out}.artifacts -o ${out})
  if(arg_FRAMEWORK STREQUAL "net10.0")
    list(APPEND arguments --no-self-contained -p:UseAppHost=false)
    set(command ${HINDSIGHT_DOTNET} ${out}/${name}.dll)
  else()
    list(APPEND arguments --self-contained -r linux-x64)
    set(command ${out}/${name})
  endif()

  set(${arg_OUTPUT} ${command} PARENT_SCOPE)

  # Somebody else may want the same.
  get_property(publisher GLOBAL PROPERTY hindsight_publisher_of_${name}-${arg_FRAMEWORK}-${arg_CONFIGURATION})
  if(publisher)
    add_custom_target(${target})
    add_dependencies(${target} ${publisher})
    return()
  endif()
  set_property(GLOBAL PROPERTY hindsight_publisher_of_${name}-${arg_FRAMEWORK}-${arg_CONFIGURATION} ${target})

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${arg_PROJECT}/*.cs ${arg_PROJECT}/*.csproj
       ${PROJECT_SOURCE_DIR}/samples/Common/*.cs ${arg_SOURCES})
  add_custom_command(
    OUTPUT ${out}.published
    COMMAND ${HINDSIGHT_DOTNET} publish ${arg_PROJECT} ${arguments}
    COMMAND ${CMAKE_COMMAND} -E touch ${out}.published
    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/samples/Directory.Build.props
    JOB_POOL hindsight_dotnet
    COMMENT "Publishing ${name} for ${arg_FRAMEWORK}"
    VERBATIM)
  add_custom_target(${target} DEPENDS ${out}.published)
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
            ${samples}/HeldLocks/*.cs ${samples}/SlowHandles/*.cs)
  set(${variable} ${command} PARENT_SCOPE)
endfunction()

# The same for all samples about CPU time.
function(hindsight_publish_cpu_samples target framework variable)
  set(samples ${PROJECT_SOURCE_DIR}/samples)
  hindsight_publish(${target} PROJECT CpuSamples FRAMEWORK ${framework} OUTPUT command
    SOURCES ${samples}/CpuHot/*.cs ${samples}/ManyThreads/*.cs ${samples}/OwnSignals/*.cs)
  set(${variable} ${command} PARENT_SCOPE)
endfunction()
