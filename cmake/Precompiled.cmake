# tl_precompile(TARGET [HEADER]): precompiles HEADER (default cmake/precompiled.h) for the host compiler, and joins the
# target's sources in unity builds, since headers dominate their compile time. Names in unnamed namespaces must be
# unique within a batch. TREELIGHT_JOIN_SOURCES=OFF compiles each source alone.
function(tl_precompile target)
    set(header "${PROJECT_SOURCE_DIR}/cmake/precompiled.h")
    if(ARGC GREATER 1)
        cmake_path(ABSOLUTE_PATH ARGV1 BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE header)
    endif()
    # Targets without a header of their own share the precompiled header of the target `core`.
    if(TARGET core AND ARGC EQUAL 1 AND NOT target STREQUAL core)
        target_precompile_headers(${target} REUSE_FROM core)
    else()
        target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
    endif()
    # 24 sources together compile in two thirds of the time of two batches of 12, since they share template instances.
    # Instrumented code takes twice as long, so sanitizer builds have smaller batches: no single object should delay the
    # build.
    set(batch 32)
    if(TREELIGHT_SANITIZE)
        set(batch 12)
    endif()
    set_target_properties(${target} PROPERTIES
        UNITY_BUILD ${TREELIGHT_JOIN_SOURCES} UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()
