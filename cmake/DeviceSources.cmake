# Files that are compiled once per device are gathered in units, and a unit is what a compiler gets at once: a generated
# file that includes all of them. The host compiler's define TL_DEVICE_CPU (namespace tl::cpu); nvcc's are in tl::cuda.
# Headers take a compiler longer than most files do, above all nvcc, which reads them four times: a library joins its
# small units to larger ones (tl_join_units). What files of a unit name alike in unnamed namespaces has to differ.
#
# tl_device_sources(TARGET NAME file.cu ...): a unit NAME of the host compiler; for nvcc, where there is one, each file is
# a unit by itself, whose name is the file's without .cu.
function(tl_device_sources target name)
    tl_cpu_unit(${target} ${name} ${ARGN})
    if(TL_CUDA)
        foreach(source ${ARGN})
            cmake_path(GET source STEM stem)
            tl_cuda_unit(${target} ${stem} ${source})
        endforeach()
    endif()
endfunction()

# tl_device_unit(TARGET NAME file.cu ...): a unit NAME of both compilers.
function(tl_device_unit target name)
    tl_cpu_unit(${target} ${name} ${ARGN})
    if(TL_CUDA)
        tl_cuda_unit(${target} ${name} ${ARGN})
    endif()
endfunction()

# Units of one compiler alone.
function(tl_cpu_unit target name)
    tl_note_unit(${target} cpu ${name} ${ARGN})
endfunction()
function(tl_cuda_unit target name)
    tl_note_unit(${target} cuda ${name} ${ARGN})
endfunction()

# tl_join_units(TARGET NAME unit ...): compiles units of the target together, whichever rooms they are from.
function(tl_join_units target name)
    set_property(TARGET ${target} APPEND PROPERTY TL_JOINED ${name})
    set_property(TARGET ${target} PROPERTY TL_JOINED_${name} ${ARGN})
endfunction()

# tl_nvcc_option(TARGET UNIT OPTION): an option for one unit. tl_host_options(TARGET UNIT GROUP option ...): likewise, with
# the group of cmake/OwnCopies.cmake.
function(tl_nvcc_option target name option)
    set_property(TARGET ${target} APPEND PROPERTY TL_OPTIONS_cuda_${name} ${option})
endfunction()
function(tl_host_options target name group)
    set_property(TARGET ${target} APPEND PROPERTY TL_OPTIONS_cpu_${name} ${ARGN} -DTL_OWN_COPIES=${group})
endfunction()

# tl_calls_any_tracer(TARGET unit ...): units whose kernels call the functions of an AnyTracer
# (accel/bvh/traversal/any_tracer.h). Those are compiled in files of their own, and executables link them: what nvcc names
# separate compilation.
function(tl_calls_any_tracer target)
    foreach(name ${ARGN})
        tl_nvcc_option(${target} ${name} -rdc=true)
    endforeach()
endfunction()

# Units become sources of their target at the end of its folder, when all that are to be joined are known.
function(tl_note_unit target compiler name)
    get_property(noted TARGET ${target} PROPERTY TL_UNITS_${compiler})
    if(NOT noted)
        get_target_property(folder ${target} SOURCE_DIR)
        # Evaluated now, since variables are gone by then.
        cmake_language(EVAL CODE
            "cmake_language(DEFER DIRECTORY [[${folder}]] CALL tl_add_units ${target} ${compiler})")
    elseif(name IN_LIST noted)
        message(FATAL_ERROR "${target} has two units with the name ${name}; rename one of them")
    endif()
    set_property(TARGET ${target} APPEND PROPERTY TL_UNITS_${compiler} ${name})
    foreach(source ${ARGN})
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
        set_property(TARGET ${target} APPEND PROPERTY TL_UNIT_${compiler}_${name} "${source}")
    endforeach()
endfunction()

function(tl_add_units target compiler)
    get_property(left TARGET ${target} PROPERTY TL_UNITS_${compiler})
    get_property(joined TARGET ${target} PROPERTY TL_JOINED)
    if(joined)
        foreach(name ${joined})
            get_property(parts TARGET ${target} PROPERTY TL_JOINED_${name})
            set(present "")
            foreach(part ${parts})
                if(part IN_LIST left)
                    list(APPEND present ${part})
                endif()
            endforeach()
            if(present)
                list(REMOVE_ITEM left ${present})
                tl_add_unit(${target} ${compiler} ${name} ${present})
            endif()
        endforeach()
    endif()
    foreach(name ${left})
        tl_add_unit(${target} ${compiler} ${name} ${name})
    endforeach()
endfunction()

# Adds the named units as one source, rewritten on change alone.
function(tl_add_unit target compiler name)
    set(content "")
    if(compiler STREQUAL cpu)
        set(content "#define TL_DEVICE_CPU 1\n")
        set(ending cpp)
    else()
        set(ending cu)
    endif()
    list(GET ARGN 0 first)
    get_property(options TARGET ${target} PROPERTY TL_OPTIONS_${compiler}_${first})
    foreach(unit ${ARGN})
        get_property(own TARGET ${target} PROPERTY TL_OPTIONS_${compiler}_${unit})
        if(NOT "${own}" STREQUAL "${options}")
            message(FATAL_ERROR "units ${first} and ${unit} of ${target} have options that differ; do not join them")
        endif()
        get_property(sources TARGET ${target} PROPERTY TL_UNIT_${compiler}_${unit})
        foreach(source ${sources})
            file(RELATIVE_PATH source "${PROJECT_SOURCE_DIR}" "${source}")
            string(APPEND content "#include \"${source}\"\n")
        endforeach()
    endforeach()
    set(path "${PROJECT_BINARY_DIR}/units/${target}/${name}_${compiler}.${ending}")
    file(CONFIGURE OUTPUT "${path}" CONTENT "${content}" @ONLY)
    target_sources(${target} PRIVATE "${path}")
    set_source_files_properties("${path}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    if(options)
        set_source_files_properties("${path}" PROPERTIES COMPILE_OPTIONS "${options}")
    endif()
endfunction()
