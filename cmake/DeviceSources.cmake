# tl_device_sources(TARGET NAME file.cu ...): compiles each file once per device. The host compiler gets
# a generated wrapper NAME_cpu.cpp that defines TL_DEVICE_CPU and includes all of them (namespace
# tl::cpu); nvcc, where there is one, compiles each file by itself (namespace tl::cuda).
function(tl_device_sources target name)
    tl_cpu_unit(${target} ${name} ${ARGN})
    if(TL_CUDA)
        target_sources(${target} PRIVATE ${ARGN})
    endif()
endfunction()

# tl_device_unit(TARGET NAME file.cu ...): the same, but nvcc, too, compiles the files together: small
# ones, whose headers take longest.
function(tl_device_unit target name)
    tl_cpu_unit(${target} ${name} ${ARGN})
    if(TL_CUDA)
        tl_cuda_unit(${target} ${name} ${ARGN})
    endif()
endfunction()

# tl_cpu_unit(TARGET NAME file.cu ...): files for the host's compiler alone, compiled together.
function(tl_cpu_unit target name)
    set(includes "")
    foreach(source ${ARGN})
        tl_include_line(includes "${source}")
    endforeach()
    tl_generated_source(path "${name}_cpu.cpp" "#define TL_DEVICE_CPU 1\n${includes}")
    set_source_files_properties("${path}" TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE "${path}")
endfunction()

# tl_cuda_unit(TARGET NAME file.cu ...): files for nvcc alone, compiled together.
function(tl_cuda_unit target name)
    list(LENGTH ARGN count)
    if(count EQUAL 1)
        target_sources(${target} PRIVATE "${ARGN}")
        return()
    endif()
    set(includes "")
    foreach(source ${ARGN})
        tl_include_line(includes "${source}")
    endforeach()
    tl_generated_source(path "${name}_unit.cu" "${includes}")
    target_sources(${target} PRIVATE "${path}")
endfunction()

# tl_calls_any_tracer(TARGET name ...): files (without .cu) and units of the current folder whose kernels call the
# functions of an AnyTracer (accel/bvh/traversal/any_tracer.h). Those are compiled in files of their own, and
# executables link them: what nvcc names separate compilation.
function(tl_calls_any_tracer target)
    foreach(name ${ARGN})
        set(path "${CMAKE_CURRENT_SOURCE_DIR}/${name}.cu")
        if(NOT EXISTS "${path}")
            tl_generated_path(path "${name}_unit.cu")
        endif()
        tl_nvcc_option(${target} "${path}" -rdc=true)
    endforeach()
endfunction()

# tl_nvcc_option(TARGET FILE OPTION): an option for one CUDA file.
function(tl_nvcc_option target path option)
    cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    set_property(SOURCE "${path}" TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS ${option})
endfunction()

function(tl_include_line lines source)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${source}")
    set(${lines} "${${lines}}#include \"${name}\"\n" PARENT_SCOPE)
endfunction()

# A file of the build folder, beside where the current folder's would be; rewritten on change alone.
function(tl_generated_source path name content)
    tl_generated_path(file "${name}")
    file(CONFIGURE OUTPUT "${file}" CONTENT "${content}" @ONLY)
    set(${path} "${file}" PARENT_SCOPE)
endfunction()

function(tl_generated_path path name)
    file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
    set(${path} "${PROJECT_BINARY_DIR}/units/${folder}/${name}" PARENT_SCOPE)
endfunction()
