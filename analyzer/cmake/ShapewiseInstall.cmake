# What `cmake --install` puts where, what a wheel takes, and the .deb.
#
# Components: program; manual (the page of man); completions (bash, fish); zsh (its completion,
# where zsh itself looks) or debian (where Debian's zsh looks, and the copyright); documents.
# ShapewiseLibrary.cmake has another one, development.

include(GNUInstallDirs)

# In a wheel scikit-build-core says where these are; pip puts them below the environment.
if(DEFINED SKBUILD_SCRIPTS_DIR)
  set(shapewise_programs "${SKBUILD_SCRIPTS_DIR}")
  set(shapewise_share "${SKBUILD_DATA_DIR}/share")
else()
  set(shapewise_programs "${CMAKE_INSTALL_BINDIR}")
  set(shapewise_share "${CMAKE_INSTALL_DATAROOTDIR}")
endif()

# The program itself lists its commands and options.
set(shapewise_generated "${CMAKE_BINARY_DIR}/share")
file(MAKE_DIRECTORY "${shapewise_generated}")
set(shapewise_generated_files "")
foreach(form IN ITEMS bash fish man zsh)
  add_custom_command(OUTPUT "${shapewise_generated}/shapewise.${form}"
    COMMAND shapewise completion ${form} --output "${shapewise_generated}/shapewise.${form}"
    DEPENDS shapewise
    VERBATIM)
  list(APPEND shapewise_generated_files "${shapewise_generated}/shapewise.${form}")
endforeach()
add_custom_target(shapewise_completions ALL DEPENDS ${shapewise_generated_files})

install(TARGETS shapewise RUNTIME DESTINATION "${shapewise_programs}" COMPONENT program)
install(FILES "${shapewise_generated}/shapewise.man"
  DESTINATION "${shapewise_share}/man/man1" RENAME shapewise.1 COMPONENT manual)
install(FILES "${shapewise_generated}/shapewise.bash"
  DESTINATION "${shapewise_share}/bash-completion/completions" RENAME shapewise
  COMPONENT completions)
install(FILES "${shapewise_generated}/shapewise.fish"
  DESTINATION "${shapewise_share}/fish/vendor_completions.d" COMPONENT completions)
install(FILES "${shapewise_generated}/shapewise.zsh"
  DESTINATION "${shapewise_share}/zsh/site-functions" RENAME _shapewise COMPONENT zsh)
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/LICENSE"
  DESTINATION "${shapewise_share}/doc/shapewise" COMPONENT documents)
install(FILES "${shapewise_generated}/shapewise.zsh"
  DESTINATION "${shapewise_share}/zsh/vendor-completions" RENAME _shapewise
  COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE"
  DESTINATION "${shapewise_share}/doc/shapewise" RENAME copyright
  COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES "${PROJECT_SOURCE_DIR}/README.md"
  DESTINATION "${shapewise_share}/doc/shapewise" COMPONENT debian EXCLUDE_FROM_ALL)

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

# `cpack` in the build folder makes one .deb of these components.
set(SHAPEWISE_PACKAGE_CONTACT "shapewise maintainers <maintainers@shapewise.invalid>" CACHE STRING
  "Maintainer of the .deb")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME shapewise)
set(CPACK_PACKAGE_CONTACT "${SHAPEWISE_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION
  "Reads what torch.compile logged or a model's code, and tells what recompiles, breaks or runs
eager, what caused it, what it cost and what to do.")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program manual completions debian)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS python3)
include(CPack)
