# Script that runs at every build: writes app/version.h with the current commit, only if it has changed.
execute_process(COMMAND git -C "${SOURCE_DIR}" describe --always --dirty --abbrev=10
    OUTPUT_VARIABLE TL_GIT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT TL_GIT_COMMIT)
    set(TL_GIT_COMMIT "unknown")
endif()
configure_file("${SOURCE_DIR}/app/version.h.in" "${OUTPUT}" @ONLY)
