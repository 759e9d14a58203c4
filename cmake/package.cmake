# cpack makes a Debian package of the program, with the configurations to start from (scripts/package).
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/poisson COMPONENT program)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/poisson-solver COMPONENT program)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME poisson-solver)
set(CPACK_PACKAGE_CONTACT "poisson maintainers <maintainers@users.noreply.a-seed-9a67bf15.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_COMPONENTS_ALL program)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # lists the packages of the linked libraries
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "paraview")
include(CPack)
