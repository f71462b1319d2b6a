# Flags that every target of the project takes, through the interface library tl_options.
# x86-64-v3: measured 20-25 % faster than -march=native with g++ 12, which then prefers wider vectors.
# -fopenmp-simd: vectorises sums with a fixed order (`#pragma omp simd`), without OpenMP's threads.
# -fpch-preprocess: with it ccache can keep what was compiled with precompiled headers.
add_library(tl_options INTERFACE)
target_include_directories(tl_options INTERFACE "${PROJECT_SOURCE_DIR}")
set(host_flags -Wall -Wextra -march=x86-64-v3)
target_compile_options(tl_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:${host_flags};-Wno-unknown-pragmas;-fopenmp-simd;-fpch-preprocess>"
    # Lines and functions for profilers and debuggers; Debug builds have all of -g.
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-g1>")
if(TL_CUDA)
    target_compile_definitions(tl_options INTERFACE TL_HAS_CUDA=1)
    # 20012, 20013, 20015: nvcc's remarks on GLM's defaulted and constexpr functions.
    target_compile_options(tl_options INTERFACE
        "$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda;--expt-relaxed-constexpr;-diag-suppress=20012,20013,20015;-Xcompiler=-march=x86-64-v3>")
    # Kernels are most of the program: a third of the bytes, unpacked when a kernel is first needed.
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
        target_compile_options(tl_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-compress-mode=size>")
    endif()
endif()
if(TREELIGHT_SANITIZE)
    # A null pointer's use is an address error all the same, and casts to derived classes are few: without these two
    # checks sanitized code compiles in three quarters of the time. Instrumented code makes g++ 12 see uninitialised
    # members where there are none.
    target_compile_options(tl_options INTERFACE
        "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TREELIGHT_SANITIZE};-fno-sanitize=null,vptr;-fno-omit-frame-pointer;-fno-sanitize-recover=undefined;-Wno-maybe-uninitialized;-O1;-g1>")
    target_link_options(tl_options INTERFACE -fsanitize=${TREELIGHT_SANITIZE})
    # The address sanitizer's tables hold three million addresses, which a program at a fixed place need not correct at
    # each start; a test is a start.
    if(TREELIGHT_SANITIZE MATCHES address)
        target_compile_options(tl_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-pie>)
        target_link_options(tl_options INTERFACE -no-pie)
    endif()
endif()
