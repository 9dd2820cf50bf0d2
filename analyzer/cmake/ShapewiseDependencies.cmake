# Everything shapewise is built on, each by name from the system's packages. With SHAPEWISE_STATIC
# the program needs no library of theirs where it runs (see analyzer/docs/packaging.md).

# What is missing is reported at once, by the names of Debian's packages.
set(shapewise_missing "")
macro(shapewise_package name package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    list(APPEND shapewise_missing ${package})
  endif()
endmacro()
# No version is given, because "LLVM 19" does not match 19.1; the newest installed one is found.
shapewise_package(LLVM llvm-dev CONFIG)
shapewise_package(CLI11 libcli11-dev CONFIG)
shapewise_package(nlohmann_json nlohmann-json3-dev CONFIG)
shapewise_package(ZLIB zlib1g-dev)

# simdjson is packaged as a shared library only; a static one is compiled from its sources, which
# npm downloads. Without npm, wheels use the shared library, and are for this machine only.
set(SHAPEWISE_SIMDJSON "" CACHE PATH
  "Unpacked simdjson 3.9.4 (the folder with src/simdjson.cpp); empty: download it")
set(shapewise_static_simdjson ${SHAPEWISE_STATIC})
if(SHAPEWISE_STATIC AND NOT SHAPEWISE_SIMDJSON)
  find_program(SHAPEWISE_NPM npm)
  file(GLOB shapewise_simdjson_archive "${PROJECT_SOURCE_DIR}/build/downloads/*simdjson*.tgz")
  if(NOT SHAPEWISE_NPM AND NOT shapewise_simdjson_archive)
    message(STATUS "npm is missing: simdjson is linked as a shared library")
    set(shapewise_static_simdjson OFF)
  endif()
endif()
if(NOT shapewise_static_simdjson)
  shapewise_package(simdjson libsimdjson-dev CONFIG)
endif()

# In Debian 12, zstd has no CMake configuration, and that of toml++, which is headers only, names a
# shared library.
find_path(SHAPEWISE_ZSTD_INCLUDE zstd.h)
find_library(SHAPEWISE_ZSTD_LIBRARY zstd)
if(NOT SHAPEWISE_ZSTD_INCLUDE OR NOT SHAPEWISE_ZSTD_LIBRARY)
  list(APPEND shapewise_missing libzstd-dev)
endif()
find_path(SHAPEWISE_TOMLPLUSPLUS_INCLUDE toml++/toml.h)
if(NOT SHAPEWISE_TOMLPLUSPLUS_INCLUDE)
  list(APPEND shapewise_missing libtomlplusplus-dev)
endif()
if(shapewise_missing)
  list(JOIN shapewise_missing " " shapewise_missing)
  message(FATAL_ERROR
    "packages are missing; run ./dev setup, or install them: apt-get install ${shapewise_missing}")
endif()

if(LLVM_VERSION_MAJOR LESS 14)
  message(FATAL_ERROR "shapewise needs LLVM 14 or newer, found ${LLVM_PACKAGE_VERSION}")
endif()
# Our code uses RTTI; deriving from LLVM's classes fails to link against an LLVM built without it.
if(NOT LLVM_ENABLE_RTTI)
  message(FATAL_ERROR "shapewise needs an LLVM built with RTTI (Debian's and Ubuntu's packages are)")
endif()
llvm_map_components_to_libnames(SHAPEWISE_LLVM_LIBS support)
add_library(shapewise_llvm INTERFACE)
target_include_directories(shapewise_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(shapewise_llvm INTERFACE ${LLVM_DEFINITIONS})
target_link_libraries(shapewise_llvm INTERFACE ${SHAPEWISE_LLVM_LIBS})

if(shapewise_static_simdjson)
  shapewise_npm_sources(shapewise_simdjson_folder
    PACKAGE @nozbe/simdjson VERSION 3.9.4
    SHA256 d5c2e068967f1c3061123813d9b6e58ae4b180eb9c8b65b3db9a7f26a2a8a5c1
    INSTEAD SHAPEWISE_SIMDJSON
    MEMBERS src/simdjson.cpp src/simdjson.h LICENSE)
  add_library(shapewise_simdjson STATIC "${shapewise_simdjson_folder}/src/simdjson.cpp")
  target_include_directories(shapewise_simdjson SYSTEM PUBLIC "${shapewise_simdjson_folder}/src")
  target_compile_features(shapewise_simdjson PUBLIC cxx_std_20)
  target_compile_options(shapewise_simdjson PRIVATE -w)
  add_library(simdjson::simdjson ALIAS shapewise_simdjson)
endif()

add_library(shapewise_zstd INTERFACE)
target_include_directories(shapewise_zstd SYSTEM INTERFACE ${SHAPEWISE_ZSTD_INCLUDE})

# Returns "libz.a" for "libz.so.1.2.13" if both exist, else the argument.
function(shapewise_static_twin out_variable library)
  string(REGEX REPLACE "\\.so[0-9.]*$" ".a" twin "${library}")
  if(NOT EXISTS "${twin}")
    set(twin "${library}")
  endif()
  set(${out_variable} "${twin}" PARENT_SCOPE)
endfunction()

if(SHAPEWISE_STATIC)
  # LLVM's own targets name the shared libraries that it was built with.
  foreach(target IN ITEMS ZLIB::ZLIB zstd::libzstd_shared Terminfo::terminfo)
    if(NOT TARGET ${target})
      continue()
    endif()
    foreach(property IN ITEMS IMPORTED_LOCATION IMPORTED_LOCATION_RELEASE IMPORTED_LOCATION_NONE)
      get_target_property(location ${target} ${property})
      if(location)
        shapewise_static_twin(location "${location}")
        set_target_properties(${target} PROPERTIES ${property} "${location}")
      endif()
    endforeach()
  endforeach()
  shapewise_static_twin(shapewise_zstd_library "${SHAPEWISE_ZSTD_LIBRARY}")
else()
  set(shapewise_zstd_library "${SHAPEWISE_ZSTD_LIBRARY}")
endif()
target_link_libraries(shapewise_zstd INTERFACE "${shapewise_zstd_library}")

if(SHAPEWISE_DEVELOPER)
  find_package(Catch2 REQUIRED CONFIG)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
