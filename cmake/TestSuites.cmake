# Registers the tests of GoogleTest binaries with CTest, one entry for each suite: starting a program for every single
# test takes longer than most tests do. ./test counts single tests, from the files that the entries write.

# tl_discover_suites(TARGET [PROPERTIES NAME VALUE ...])
# After each build of TARGET, lists its suites. Suites whose name has OnCuda are labelled `cuda`. Properties: of CTest,
# without lists.
function(tl_discover_suites target)
    cmake_parse_arguments(ARG "" "" "PROPERTIES" ${ARGN})
    set(list "${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake")
    string(REPLACE ";" " " properties "${ARG_PROPERTIES}")
    add_custom_command(TARGET ${target} POST_BUILD
        BYPRODUCTS "${list}"
        COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:${target}>" "-DLIST=${list}" "-DPROPERTIES=${properties}"
                "-DTARGET=${target}" "-DRESULTS=${PROJECT_BINARY_DIR}/suites" -P "${PROJECT_SOURCE_DIR}/cmake/ListSuites.cmake"
        VERBATIM)
    set(include "${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake")
    file(WRITE "${include}" "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n"
        "  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${include}")
endfunction()
