# Everything shapewise is built on, each by name from the system's packages. With SHAPEWISE_STATIC
# the program needs no library of theirs where it runs (see analyzer/docs/packaging.md).

# Bare, because "LLVM 19" does not match 19.1; the newest installed release is taken.
find_package(LLVM REQUIRED CONFIG)
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

find_package(CLI11 REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(ZLIB REQUIRED)

# simdjson is packaged as a shared library only; a static one is made of its sources.
if(SHAPEWISE_STATIC)
  set(SHAPEWISE_SIMDJSON "" CACHE PATH
    "Unpacked simdjson 3.9.4 (the folder with src/simdjson.cpp); empty: download it")
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
else()
  find_package(simdjson REQUIRED CONFIG)
endif()

# libzstd ships no CMake configuration in Debian 12.
find_path(SHAPEWISE_ZSTD_INCLUDE zstd.h REQUIRED)
find_library(SHAPEWISE_ZSTD_LIBRARY zstd REQUIRED)
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
