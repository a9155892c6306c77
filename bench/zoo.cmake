# Programs that bench/zoo records: those that are not in the .NET SDK.
hindsight_publish(bench-chat PROJECT ${CMAKE_CURRENT_SOURCE_DIR}/Chat FRAMEWORK net10.0 OUTPUT chat ALONE)
hindsight_publish(bench-grains PROJECT ${CMAKE_CURRENT_SOURCE_DIR}/Grains FRAMEWORK net10.0 OUTPUT grains ALONE)
hindsight_publish(bench-broker PROJECT ${CMAKE_CURRENT_SOURCE_DIR}/Broker FRAMEWORK net10.0 OUTPUT broker ALONE)
add_custom_target(bench-zoo DEPENDS bench-broker bench-chat bench-grains bench-compile bench-shop hindsight hindsight-recorder hindsight-trigger)
