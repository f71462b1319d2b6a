# tl_precompile(TARGET [HEADER]): the host compiler reads HEADER (cmake/precompiled.h unless named)
# before each source of the target, from a form that it compiles once. Sources of the host compiler are
# joined, some to one compilation, since their headers take longer than they do; what several of them
# name alike in unnamed namespaces has to differ. Turn TREELIGHT_JOIN_SOURCES off to compile each alone.
function(tl_precompile target)
    set(header "${PROJECT_SOURCE_DIR}/cmake/precompiled.h")
    if(ARGC GREATER 1)
        cmake_path(ABSOLUTE_PATH ARGV1 BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE header)
    endif()
    # The first target that names none makes the compiled form of all of them.
    if(TARGET accel AND ARGC EQUAL 1 AND NOT target STREQUAL accel)
        target_precompile_headers(${target} REUSE_FROM accel)
    else()
        target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
    endif()
    # Two dozen compile in two thirds of the time of two times a dozen, since they name the same templates. Instrumented
    # code takes twice as long; an object must not be what a build waits for.
    set(batch 32)
    if(TREELIGHT_SANITIZE)
        set(batch 12)
    endif()
    set_target_properties(${target} PROPERTIES
        UNITY_BUILD ${TREELIGHT_JOIN_SOURCES} UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()
