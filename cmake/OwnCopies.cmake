# What headers define, inline functions and what is made of templates, is compiled in every object that uses it, and a
# linker keeps one copy for all objects. Compiled with options that differ, copies differ: in speed, or in how they round.
# So objects with options of their own belong to a group, whose copies have names of their own (cmake/own-copies). Names
# of groups are lower-case letters and underscores.
#
# A template that one object of a group instantiates for another one cannot be found under such a name: it is specialised
# instead (template <> ...).
#
# tests/setup/test_own_copies.py looks for copies that objects with different options share.

# tl_target_options(TARGET GROUP option ...): for the host compiler's sources of a target, in Release builds.
function(tl_target_options target group)
    target_compile_options(${target} PRIVATE
        "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:${ARGN};-DTL_OWN_COPIES=${group}>")
endfunction()

# tl_source_options(TARGET SOURCE GROUP option ...): for one source, in all builds.
function(tl_source_options target source group)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES
        COMPILE_OPTIONS "${ARGN};-DTL_OWN_COPIES=${group}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
