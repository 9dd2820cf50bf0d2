# Everything shapewise is built on, each by name from the system's packages.

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
find_package(simdjson REQUIRED CONFIG)
find_package(ZLIB REQUIRED)

# libzstd ships no CMake configuration in Debian 12.
find_path(SHAPEWISE_ZSTD_INCLUDE zstd.h REQUIRED)
find_library(SHAPEWISE_ZSTD_LIBRARY zstd REQUIRED)
add_library(shapewise_zstd INTERFACE)
target_include_directories(shapewise_zstd SYSTEM INTERFACE ${SHAPEWISE_ZSTD_INCLUDE})
target_link_libraries(shapewise_zstd INTERFACE ${SHAPEWISE_ZSTD_LIBRARY})

if(SHAPEWISE_DEVELOPER)
  find_package(Catch2 REQUIRED CONFIG)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
