cmake_minimum_required(VERSION 3.22)
# Writes OUTPUT, which defines hindsight::cli::kCommit, and only if that changes: COMMIT, or what git
# knows of SOURCES. A tree with changes of its own is told as such.
if(NOT COMMIT AND EXISTS ${SOURCES}/.git)
  find_program(GIT git)
  if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCES} rev-parse --short=12 HEAD
                    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    # An index that others may be writing is not refreshed.
    execute_process(COMMAND ${GIT} -C ${SOURCES} --no-optional-locks status --porcelain -uno
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    if(COMMIT AND changes)
      string(APPEND COMMIT " with changes")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "#include \"analyzer/cli/commit.h\"

namespace hindsight::cli {

const char kCommit[] = \"@COMMIT@\";

}  // namespace hindsight::cli
")
