# Writes the CTest entries of a GoogleTest binary, as a script of tl_discover_suites().
# PROGRAM: the binary; TARGET: its name; LIST: the file to write; PROPERTIES: of every entry, separated by blanks;
# RESULTS: folder of the files with the results of single tests.

# Suites with more tests become several entries, which run at the same time.
set(most_of_entry 24)

execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE output RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} cannot list its tests")
endif()
set(written "")
file(MAKE_DIRECTORY "${RESULTS}")

function(write_entry name suite tests)
    string(REPLACE ";" ":${suite}." filter "${suite}.${tests}")
    string(MAKE_C_IDENTIFIER "${name}" file)
    set(labels "")
    if(suite MATCHES "OnCuda")
        set(labels "LABELS cuda")
    endif()
    string(CONCAT entry "add_test([==[${name}]==] \"${PROGRAM}\" \"--gtest_filter=${filter}\" "
        "\"--gtest_output=xml:${RESULTS}/${file}.xml\")\n"
        "set_tests_properties([==[${name}]==] PROPERTIES TIMEOUT 3600 ${labels} ${PROPERTIES})\n")
    set(written "${written}${entry}" PARENT_SCOPE)
endfunction()

# Writes the entries of the suite that has been read.
macro(end_suite)
    list(LENGTH tests n_tests)
    set(first 0)
    while(first LESS n_tests)
        list(SUBLIST tests ${first} ${most_of_entry} part)
        math(EXPR number "${first} / ${most_of_entry} + 1")
        set(name "${TARGET}.${suite}")
        if(n_tests GREATER most_of_entry)
            string(APPEND name ":${number}")
        endif()
        write_entry("${name}" "${suite}" "${part}")
        math(EXPR first "${first} + ${most_of_entry}")
    endwhile()
    set(tests "")
endmacro()

set(suite "")
set(tests "")
string(REGEX REPLACE " +#[^\n]*" "" output "${output}")  # types and values of parameters
string(REPLACE "\n" ";" lines "${output}")
foreach(line IN LISTS lines)
    if(line MATCHES "^  (.+)")
        list(APPEND tests "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^([^ ]+)\\.$")
        end_suite()
        set(suite "${CMAKE_MATCH_1}")
    endif()
endforeach()
end_suite()
file(WRITE "${LIST}" "${written}")
