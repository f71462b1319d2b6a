# OpenGL 4.5 core loader, generated at configure time by the distribution's glad (package python3-glad).
# --reproducible: glad does not access the network.
find_program(GLAD_PROGRAM glad PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT GLAD_PROGRAM)
    message(FATAL_ERROR "glad is missing: apt-get install python3-glad")
endif()
set(TL_GLAD_DIR "${PROJECT_BINARY_DIR}/glad")
if(NOT EXISTS "${TL_GLAD_DIR}/src/gl.c")
    execute_process(
        COMMAND "${GLAD_PROGRAM}" --reproducible --quiet --api gl:core=4.5
                --extensions GL_KHR_debug --out-path "${TL_GLAD_DIR}" c
        COMMAND_ERROR_IS_FATAL ANY)
endif()
add_library(glad STATIC "${TL_GLAD_DIR}/src/gl.c")
target_include_directories(glad SYSTEM PUBLIC "${TL_GLAD_DIR}/include")
