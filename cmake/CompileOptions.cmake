# Compiler flags of every target of the project, in the interface library tl_options.
# -march=x86-64-v3: measured 20 to 25 % faster than -march=native with g++ 12, which prefers wider vectors then.
# -fopenmp-simd: vectorises sums in a fixed order (`#pragma omp simd`), without OpenMP's threads.
# -fpch-preprocess: lets ccache cache objects compiled with precompiled headers.
# -ffile-prefix-map: file names in messages and debug information start at the project's folder, so that ccache shares
# objects among checkouts in different folders.
add_library(tl_options INTERFACE)
target_include_directories(tl_options INTERFACE "${PROJECT_SOURCE_DIR}")
set(host_flags -Wall -Wextra -march=x86-64-v3)
target_compile_options(tl_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:${host_flags};-Wno-unknown-pragmas;-fopenmp-simd;-fpch-preprocess;-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>"
    # -g1: lines and functions for profilers and debuggers; Debug builds have full -g.
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-g1>")
if(TL_CUDA)
    target_compile_definitions(tl_options INTERFACE TL_HAS_CUDA=1)
    # -diag-suppress=20012,20013,20015: nvcc's warnings about GLM's defaulted and constexpr functions.
    target_compile_options(tl_options INTERFACE
        "$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda;--expt-relaxed-constexpr;-diag-suppress=20012,20013,20015;-Xcompiler=-march=x86-64-v3>")
    # -compress-mode=size: reduces kernels, most of the program's size, to a third; they are unpacked on first use.
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
        target_compile_options(tl_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-compress-mode=size>")
    endif()
endif()
if(TREELIGHT_SANITIZE)
    # -fno-sanitize=null,vptr: saves a quarter of the compile time. The address sanitizer reports uses of null pointers
    # too, and casts to derived classes are few.
    # -Wno-maybe-uninitialized: g++ 12 falsely reports members of instrumented code as uninitialised.
    target_compile_options(tl_options INTERFACE
        "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TREELIGHT_SANITIZE};-fno-sanitize=null,vptr;-fno-omit-frame-pointer;-fno-sanitize-recover=undefined;-Wno-maybe-uninitialized;-O1;-g1>")
    target_link_options(tl_options INTERFACE -fsanitize=${TREELIGHT_SANITIZE})
    # -no-pie: at a fixed address, the program need not relocate the three million addresses in the address sanitizer's
    # tables at each start, that is, for each test.
    if(TREELIGHT_SANITIZE MATCHES address)
        target_compile_options(tl_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-pie>)
        target_link_options(tl_options INTERFACE -no-pie)
    endif()
endif()
