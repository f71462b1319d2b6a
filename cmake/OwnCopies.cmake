# Separates the inline functions and template instances of objects that have different compiler options. Every object
# that uses them has a copy, of which the linker keeps one; copies from different options differ in speed or rounding.
# Objects with options of their own therefore belong to a group, and cmake/own-copies renames the group's copies.
# Group names consist of lower-case letters and underscores.
#
# Explicit instantiations in one object of a group are not found by other objects under the new name: such functions are
# explicit specialisations instead (template <> ...).
#
# tests/setup/test_own_copies.py fails if objects with different options share copies.

# tl_target_options(TARGET GROUP option ...): adds host compiler options to a target's sources, in Release builds.
function(tl_target_options target group)
    target_compile_options(${target} PRIVATE
        "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:${ARGN};-DTL_OWN_COPIES=${group}>")
endfunction()

# tl_source_options(TARGET SOURCE GROUP option ...): adds options to one source, in all builds.
function(tl_source_options target source group)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES
        COMPILE_OPTIONS "${ARGN};-DTL_OWN_COPIES=${group}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
