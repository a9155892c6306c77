# hindsight_install_program(TARGET): installs a program that is described with analyzer/cli, with its
# manual pages and its completion. The program itself writes both, so it has to run where it is built.
function(hindsight_install_program target)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${target}.installed)
  file(MAKE_DIRECTORY ${made}/man)
  add_custom_command(
    OUTPUT ${made}/${target} ${made}/_${target} ${made}/${target}.fish
    COMMAND $<TARGET_FILE:${target}> man --output ${made}/man
    COMMAND $<TARGET_FILE:${target}> completion bash > ${made}/${target}
    COMMAND $<TARGET_FILE:${target}> completion zsh > ${made}/_${target}
    COMMAND $<TARGET_FILE:${target}> completion fish > ${made}/${target}.fish
    DEPENDS ${target}
    COMMENT "Manual pages and completion of ${target}"
    VERBATIM)
  add_custom_target(${target}-pages ALL DEPENDS ${made}/${target})
  install(TARGETS ${target} RUNTIME DESTINATION bin)
  install(DIRECTORY ${made}/man/ DESTINATION share/man/man1)
  install(FILES ${made}/${target} DESTINATION share/bash-completion/completions)
  install(FILES ${made}/_${target} DESTINATION share/zsh/site-functions)
  install(FILES ${made}/${target}.fish DESTINATION share/fish/vendor_completions.d)
endfunction()
