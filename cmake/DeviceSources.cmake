# tl_device_sources(TARGET file.cu ...): compiles each file once per device. The host compiler gets a
# generated wrapper that defines TL_DEVICE_CPU and includes the file (namespace tl::cpu); nvcc, where
# there is one, compiles the file itself (namespace tl::cuda).
function(tl_device_sources target)
    foreach(source ${ARGN})
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE path)
        file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${path}")
        string(REGEX REPLACE "\\.cu$" "_cpu.cpp" wrapper "${PROJECT_BINARY_DIR}/cpu/${name}")
        file(CONFIGURE OUTPUT "${wrapper}"
            CONTENT "#define TL_DEVICE_CPU 1\n#include \"${name}\"\n" @ONLY)
        target_sources(${target} PRIVATE "${wrapper}")
        if(TL_CUDA)
            target_sources(${target} PRIVATE "${path}")
        endif()
    endforeach()
endfunction()
