# Programs that bench/zoo records: those that are not in the .NET SDK.
hindsight_publish(bench-chat PROJECT ${CMAKE_CURRENT_SOURCE_DIR}/Chat FRAMEWORK net10.0 OUTPUT chat ALONE)
add_custom_target(bench-zoo DEPENDS bench-chat bench-compile bench-shop hindsight hindsight-recorder hindsight-trigger)
