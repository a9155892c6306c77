# hindsight_install_program(TARGET): installs a program that is described with analyzer/cli, with its
# manual pages and its completion. The program itself writes both, so it has to run where it is built,
# by an emulator if need be. Windows has neither manual pages nor these shells.
function(hindsight_install_program target)
  if(WIN32)
    install(TARGETS ${target} RUNTIME DESTINATION .)
    return()
  endif()
  install(TARGETS ${target} RUNTIME DESTINATION bin)
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    return()
  endif()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${target}.installed)
  file(MAKE_DIRECTORY ${made}/man)
  add_custom_command(
    OUTPUT ${made}/${target} ${made}/_${target} ${made}/${target}.fish
    COMMAND ${target} man --output ${made}/man
    COMMAND ${target} completion bash > ${made}/${target}
    COMMAND ${target} completion zsh > ${made}/_${target}
    COMMAND ${target} completion fish > ${made}/${target}.fish
    DEPENDS ${target}
    COMMENT "Manual pages and completion of ${target}"
    VERBATIM)
  add_custom_target(${target}-pages ALL DEPENDS ${made}/${target})
  install(DIRECTORY ${made}/man/ DESTINATION share/man/man1)
  install(FILES ${made}/${target} DESTINATION share/bash-completion/completions)
  install(FILES ${made}/_${target} DESTINATION share/zsh/site-functions)
  install(FILES ${made}/${target}.fish DESTINATION share/fish/vendor_completions.d)
endfunction()
