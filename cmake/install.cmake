# Installs the libraries and their headers for find_package(poisson). app/ installs the program.
include(CMakePackageConfigHelpers)

set(poisson_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/poisson)
# poisson_flags contains only flags of this project, but the export of a static library must list all that it links.
set_target_properties(poisson_flags PROPERTIES EXPORT_NAME flags)
get_property(poisson_libraries GLOBAL PROPERTY POISSON_LIBRARIES)
list(REMOVE_ITEM poisson_libraries poisson_io poisson_hypre)  # used only by the program
set(poisson_compiled "")
foreach(library IN LISTS poisson_libraries)
  get_target_property(type ${library} TYPE)
  get_target_property(name ${library} EXPORT_NAME)
  if(type STREQUAL "STATIC_LIBRARY")
    string(APPEND poisson_compiled " ${name}")
  endif()
endforeach()
install(TARGETS poisson_flags ${poisson_libraries} EXPORT poisson-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY backends grids solver DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/poisson FILES_MATCHING PATTERN "*.hpp")
if(POISSON_LAB)  # what lab/ needs to be built alone
  install(DIRECTORY backends DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/poisson FILES_MATCHING PATTERN "*.cuh")
  install(FILES io/config/spelling.hpp io/config/spelling.cpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/poisson/io/config)
endif()
install(FILES poisson/poisson.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/poisson)
install(EXPORT poisson-targets NAMESPACE poisson:: DESTINATION ${poisson_package_dir})
configure_package_config_file(cmake/poisson-config.cmake.in ${PROJECT_BINARY_DIR}/poisson-config.cmake
                              INSTALL_DESTINATION ${poisson_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/poisson-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/poisson-config.cmake ${PROJECT_BINARY_DIR}/poisson-config-version.cmake
        DESTINATION ${poisson_package_dir})
