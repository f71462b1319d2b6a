# Script that joins headers to one text, for sources that are compiled when the program runs: OUTPUT defines NAME, a
# const char*, in NAMESPACE. HEADERS: paths from the folder SOURCE_DIR, each after those that it includes. Lines that
# include them are left out.
set(text "")
string(REPLACE "," ";" headers "${HEADERS}")
foreach(header IN LISTS headers)
    file(READ "${SOURCE_DIR}/${header}" content)
    string(REGEX REPLACE "#include \"[^\n]*\n" "" content "${content}")
    string(REPLACE "#pragma once\n" "" content "${content}")
    string(APPEND text "${content}")
endforeach()
file(WRITE "${OUTPUT}" "// Written by cmake/EmbedHeaders.cmake.
namespace ${NAMESPACE} {
extern const char* const ${NAME};
const char* const ${NAME} = R\"embedded(${text})embedded\";
}  // namespace ${NAMESPACE}
")
