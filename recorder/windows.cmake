# hindsight.dll: it needs no library but those that come with Windows, and exports two functions.
function(hindsight_link_for_windows target)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/exports.def)
  set_target_properties(${target} PROPERTIES
    PREFIX ""
    LINK_DEPENDS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/exports.def)
  target_link_options(${target} PRIVATE -static -static-libgcc -static-libstdc++
    -Wl,--dynamicbase -Wl,--nxcompat -Wl,--high-entropy-va)
  # Beside the trigger, which looks there first.
  install(TARGETS ${target} RUNTIME DESTINATION .)
endfunction()
