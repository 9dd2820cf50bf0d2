# The library for other programs: the headers of include/ and one archive of all modules, found with
# find_package(shapewise). Nothing else needs it, so it is built and installed on request only:
#
#   cmake --build BUILD --target shapewise_archive
#   cmake --install BUILD --component development

include(CMakePackageConfigHelpers)

get_property(shapewise_modules GLOBAL PROPERTY SHAPEWISE_MODULES)
if(shapewise_static_simdjson)
  # No package has it: it is part of the archive.
  list(APPEND shapewise_modules shapewise_simdjson)
endif()
set(shapewise_objects "")
foreach(module IN LISTS shapewise_modules)
  list(APPEND shapewise_objects $<TARGET_OBJECTS:${module}>)
endforeach()

add_library(shapewise_archive STATIC EXCLUDE_FROM_ALL ${shapewise_objects})
add_library(shapewise::shapewise ALIAS shapewise_archive)
set_target_properties(shapewise_archive PROPERTIES
  OUTPUT_NAME shapewise EXPORT_NAME shapewise LINKER_LANGUAGE CXX)
target_compile_features(shapewise_archive INTERFACE cxx_std_20)
target_include_directories(shapewise_archive INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(shapewise_archive INTERFACE
  ${SHAPEWISE_LLVM_LIBS} ZLIB::ZLIB zstd pthread)
if(NOT shapewise_static_simdjson)
  target_link_libraries(shapewise_archive INTERFACE simdjson::simdjson)
endif()

set(shapewise_package "${CMAKE_INSTALL_LIBDIR}/cmake/shapewise")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/shapewise-config.cmake.in"
  "${CMAKE_CURRENT_BINARY_DIR}/shapewise-config.cmake"
  INSTALL_DESTINATION "${shapewise_package}")
# Before 1.0, minor versions may change the functions.
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/shapewise-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(TARGETS shapewise_archive EXPORT shapewise
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development EXCLUDE_FROM_ALL)
install(FILES
  "${PROJECT_SOURCE_DIR}/include/shapewise/analyze.h"
  "${PROJECT_SOURCE_DIR}/include/shapewise/document.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/shapewise" COMPONENT development EXCLUDE_FROM_ALL)
install(EXPORT shapewise NAMESPACE shapewise:: FILE shapewise-targets.cmake
  DESTINATION "${shapewise_package}" COMPONENT development EXCLUDE_FROM_ALL)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/shapewise-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/shapewise-config-version.cmake"
  DESTINATION "${shapewise_package}" COMPONENT development EXCLUDE_FROM_ALL)
