# hindsight_install_library(TARGET): installs a library by renaming. Processes keep it mapped, and die when
# the file under them changes or is cut short: CMake's own install may write into the old file (where the
# file system can clone), and shows the new one while it is still being copied.
function(hindsight_install_library target)
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib\")
    set(file \"\${folder}/$<TARGET_FILE_NAME:${target}>\")
    set(fresh \"\${folder}/.$<TARGET_FILE_NAME:${target}>.fresh\")
    message(STATUS \"Installing: \${file}\")
    file(MAKE_DIRECTORY \"\${folder}\")
    file(REMOVE \"\${fresh}\")
    file(COPY_FILE \"$<TARGET_FILE:${target}>\" \"\${fresh}\")
    file(CHMOD \"\${fresh}\" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
         GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    if(CMAKE_INSTALL_DO_STRIP)
      execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded \"\${fresh}\" COMMAND_ERROR_IS_FATAL ANY)
    endif()
    # On disk before it gets its name.
    execute_process(COMMAND sync \"\${fresh}\" RESULT_VARIABLE ignored ERROR_QUIET)
    file(RENAME \"\${fresh}\" \"\${file}\")
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_PREFIX}/lib/$<TARGET_FILE_NAME:${target}>\")")
endfunction()
