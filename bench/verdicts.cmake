# Whether the analyzer says first what is wrong with samples/Shop.
find_package(nlohmann_json REQUIRED)
hindsight_publish(bench-shop PROJECT Shop FRAMEWORK net10.0 OUTPUT shop)
list(GET shop 1 shop_dll)
add_executable(hindsight-bench-verdicts
  driver/child.cc
  driver/target.cc
  verdicts/judge.cc
  verdicts/main.cc
  verdicts/recordings.cc
  verdicts/truth.cc
  verdicts/verdict.cc)
target_link_libraries(hindsight-bench-verdicts PRIVATE
  hindsight_flags CLI11::CLI11 nlohmann_json::nlohmann_json)
target_compile_definitions(hindsight-bench-verdicts PRIVATE
  HINDSIGHT_BINARY="$<TARGET_FILE:hindsight>"
  HINDSIGHT_DOTNET="${HINDSIGHT_DOTNET}"
  HINDSIGHT_SHOP="${shop_dll}"
  HINDSIGHT_SHOP_TRUTH="${PROJECT_SOURCE_DIR}/samples/Shop/truth.json"
  HINDSIGHT_TRIGGER="$<TARGET_FILE:hindsight-trigger>"
  HINDSIGHT_RECORDER="$<TARGET_FILE:hindsight-recorder>")
# It starts others and waits for them: not optimized, it is compiled in a fraction of the time.
target_compile_options(hindsight-bench-verdicts PRIVATE -O0)
add_dependencies(hindsight-bench-verdicts bench-shop hindsight hindsight-recorder hindsight-trigger)

# What a change to the rules breaks first: the healthy shop and two problems, each recorded from the
# start until it has shown itself, however long that takes. Side by side with other tests.
if(HINDSIGHT_BUILD_TESTS)
  foreach(problem healthy failing-route lock-cycle)
    add_test(NAME live.Verdicts.${problem}
      COMMAND hindsight-bench-verdicts --strict --way start --problem ${problem})
    set_tests_properties(live.Verdicts.${problem} PROPERTIES LABELS live TIMEOUT 300)
  endforeach()
endif()
