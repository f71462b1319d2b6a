# tl_precompile(TARGET [HEADER]): the host compiler reads HEADER (cmake/precompiled.h unless named)
# before each source of the target, from a form that it compiles once.
function(tl_precompile target)
    set(header "${PROJECT_SOURCE_DIR}/cmake/precompiled.h")
    if(ARGC GREATER 1)
        cmake_path(ABSOLUTE_PATH ARGV1 BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE header)
    endif()
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
endfunction()
