# What `cmake --install` puts into a prefix, beside the library and the modules, which are components of their own
# (library/). The program finds `share/treelight` from its own place, so that an installed tree can be moved.
include(GNUInstallDirs)
set(data "${CMAKE_INSTALL_DATADIR}/treelight")
install(TARGETS treelight RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY scenes assets DESTINATION "${data}")
install(PROGRAMS tools/fetch-models DESTINATION "${data}/tools")
install(FILES tools/lib.sh DESTINATION "${data}/tools")  # which it needs

# Desktops: menu entry, icon, types of files, description.
set(desktop "${PROJECT_SOURCE_DIR}/package")
string(TIMESTAMP TL_RELEASE_DATE "%Y-%m-%d" UTC)  # of SOURCE_DATE_EPOCH where that is set
configure_file("${desktop}/treelight.metainfo.xml.in"
    "${PROJECT_BINARY_DIR}/package/org.treelight.treelight.metainfo.xml" @ONLY)
install(FILES "${desktop}/treelight.desktop" DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
install(FILES "${desktop}/treelight.svg" DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
install(FILES "${desktop}/treelight-mime.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages" RENAME treelight.xml)
install(FILES "${PROJECT_BINARY_DIR}/package/org.treelight.treelight.metainfo.xml"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/metainfo")

install(FILES README.md CHANGELOG.md LICENSE THIRD_PARTY.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" PATTERN measurements EXCLUDE)

# Manual page and completions, printed by the program itself. One that cannot run here (of another processor, or without a
# command) leaves them out.
foreach(output "manual>${CMAKE_INSTALL_MANDIR}/man1/treelight.1"
        "completion bash>${CMAKE_INSTALL_DATADIR}/bash-completion/completions/treelight"
        "completion zsh>${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions/_treelight"
        "completion fish>${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/treelight.fish")
    string(REGEX MATCH "^([^>]*)>(.*)/([^/]*)$" whole "${output}")
    string(REPLACE " " ";" arguments "${CMAKE_MATCH_1}")
    install(CODE "
        set(printed \"${PROJECT_BINARY_DIR}/package/${CMAKE_MATCH_3}\")
        execute_process(COMMAND \"$<TARGET_FILE:treelight>\" ${arguments}
            OUTPUT_FILE \"\${printed}\" RESULT_VARIABLE status ERROR_QUIET)
        if(status EQUAL 0)
            file(INSTALL \"\${printed}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_MATCH_2}\")
        endif()")
endforeach()
