# Compiles .cu files once per device, in units: a unit is a generated file that includes several sources. The host
# compiler's units define TL_DEVICE_CPU (namespace tl::cpu); nvcc's units are in namespace tl::cuda.
# Headers dominate the compile time, above all with nvcc, which reads them four times, so libraries join small units to
# larger ones (tl_join_units). Names in unnamed namespaces must be unique within a unit.
#
# tl_device_sources(TARGET NAME file.cu ...): adds one unit NAME for the host compiler and, where nvcc was found, one
# unit per file for nvcc, named after the file without .cu.
function(tl_device_sources target name)
    tl_cpu_unit(${target} ${name} ${ARGN})
    if(TL_CUDA)
        foreach(source ${ARGN})
            cmake_path(GET source STEM stem)
            tl_cuda_unit(${target} ${stem} ${source})
        endforeach()
    endif()
endfunction()

# tl_device_unit(TARGET NAME file.cu ...): adds one unit NAME for each of the two compilers.
function(tl_device_unit target name)
    tl_cpu_unit(${target} ${name} ${ARGN})
    if(TL_CUDA)
        tl_cuda_unit(${target} ${name} ${ARGN})
    endif()
endfunction()

# tl_cpu_unit, tl_cuda_unit(TARGET NAME file.cu ...): add a unit NAME for one compiler only.
function(tl_cpu_unit target name)
    tl_note_unit(${target} cpu ${name} ${ARGN})
endfunction()
function(tl_cuda_unit target name)
    tl_note_unit(${target} cuda ${name} ${ARGN})
endfunction()

# tl_join_units(TARGET NAME unit ...): joins units of the target, from any of its folders, to one unit NAME.
function(tl_join_units target name)
    set_property(TARGET ${target} APPEND PROPERTY TL_JOINED ${name})
    set_property(TARGET ${target} PROPERTY TL_JOINED_${name} ${ARGN})
endfunction()

# tl_nvcc_option(TARGET UNIT OPTION): adds an option for nvcc to one unit.
# tl_host_options(TARGET UNIT GROUP option ...): adds options for the host compiler to one unit. GROUP names the unit's
# copies of inline functions (cmake/OwnCopies.cmake).
function(tl_nvcc_option target name option)
    set_property(TARGET ${target} APPEND PROPERTY TL_OPTIONS_cuda_${name} ${option})
endfunction()
function(tl_host_options target name group)
    set_property(TARGET ${target} APPEND PROPERTY TL_OPTIONS_cpu_${name} ${ARGN} -DTL_OWN_COPIES=${group})
endfunction()

# tl_instances(NAME HEADER line ...): generates a source with explicit instantiations of templates of HEADER, and sets
# the variable NAME to its path. Lines are instantiations without the final semicolon, or preprocessor directives.
function(tl_instances name header)
    set(lines "")
    foreach(line ${ARGN})
        string(APPEND lines "${line}")
        if(NOT line MATCHES "^#")
            string(APPEND lines ";")
        endif()
        string(APPEND lines "\n")
    endforeach()
    set(path "${PROJECT_BINARY_DIR}/units/instances/${name}.cu")
    file(CONFIGURE OUTPUT "${path}" @ONLY
        CONTENT "#include \"${header}\"\n\nTL_DEVICE_BEGIN\n\n${lines}\nTL_DEVICE_END\n")
    set(${name} "${path}" PARENT_SCOPE)
endfunction()

# tl_calls_any_tracer(TARGET unit ...): compiles units whose kernels call the functions of an AnyTracer
# (accel/bvh/traversal/any_tracer.h) for separate device linking: the functions are defined in other objects.
function(tl_calls_any_tracer target)
    foreach(name ${ARGN})
        tl_nvcc_option(${target} ${name} -rdc=true)
    endforeach()
endfunction()

# tl_note_unit(TARGET COMPILER NAME file.cu ...): records a unit. CMake adds the units to the target at the end of the
# target's folder, when all calls of tl_join_units are known.
function(tl_note_unit target compiler name)
    get_property(noted TARGET ${target} PROPERTY TL_UNITS_${compiler})
    if(NOT noted)
        get_target_property(folder ${target} SOURCE_DIR)
        # Expands the variables now: they are undefined when the deferred call runs.
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

# tl_add_unit(TARGET COMPILER NAME unit ...): adds the units to the target as one generated source, which is rewritten
# only if its content changes.
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
