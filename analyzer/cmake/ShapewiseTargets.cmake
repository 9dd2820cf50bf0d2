# One call a module and one call a test program, so that every target is built alike.

add_library(shapewise_options INTERFACE)
target_compile_features(shapewise_options INTERFACE cxx_std_20)
target_compile_options(shapewise_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -ffunction-sections -fdata-sections)
target_link_options(shapewise_options INTERFACE -Wl,--gc-sections)
# GCC 12 takes "text" + std::string for an overlapping copy once it inlines it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(shapewise_options INTERFACE -Wno-restrict)
endif()
# Of files that are compiled together one must not be warned of the names of another, nor be taken
# for a header, where types of its own would be a fault.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(shapewise_options INTERFACE -Wshadow=local -Wno-subobject-linkage)
elseif(NOT CMAKE_UNITY_BUILD)
  target_compile_options(shapewise_options INTERFACE -Wshadow)
endif()
# What a compiler of so many files gives back it asks for again: a tenth of its time.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(shapewise_options INTERFACE
    "SHELL:--param ggc-min-expand=1000" "SHELL:--param ggc-min-heapsize=1048576")
  # GCC 12 warns of std::optional and std::vector once it inlines this much of so many files. The
  # other presets warn.
  target_compile_options(shapewise_options INTERFACE
    $<$<CONFIG:Release>:-Wno-maybe-uninitialized> $<$<CONFIG:Release>:-Wno-stringop-overflow>)
endif()

# Options of a release by how often a module's code runs. With GCC 12, -O1 takes a third less time to
# compile than HOT, and -Og half as much, less than -O0.
set(shapewise_HOT_options "")
set(shapewise_WARM_options $<$<CONFIG:Release>:-O1>)
set(shapewise_COLD_options $<$<CONFIG:Release>:-Og>)
# GCC hardly inlines in a large file, as these are together: lint would take a tenth longer.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(shapewise_HOT_options $<$<CONFIG:Release>:--param=large-unit-insns=1000000>)
endif()
# No program names the folder that it was built in, and what was compiled in another one is the same.
target_compile_options(shapewise_options INTERFACE "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
# libstdc++ 12 sorts with a function that it calls deprecated; clang 17 and newer say so. A template
# need not use in each of its forms what its lambdas capture.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(shapewise_options INTERFACE
    -Wno-deprecated-declarations -Wno-unused-lambda-capture)
endif()
if(SHAPEWISE_STATIC)
  # The libraries of the compiler, too; what LLVM was linked with and does not use here is left out.
  target_link_options(shapewise_options INTERFACE
    -static-libstdc++ -static-libgcc -Wl,--as-needed)
endif()
if(SHAPEWISE_FUZZ)
  target_compile_options(shapewise_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(SHAPEWISE_SANITIZE)
  list(JOIN SHAPEWISE_SANITIZE "," shapewise_sanitizers)
  # GCC 12 sees uninitialised values in its own <regex> once it is instrumented.
  set(shapewise_sanitize_flags -fsanitize=${shapewise_sanitizers} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND shapewise_sanitize_flags -Wno-maybe-uninitialized)
  endif()
  target_compile_options(shapewise_options INTERFACE ${shapewise_sanitize_flags})
  # AddressSanitizer does not see reads past the end of a vector that stay within its memory.
  target_compile_definitions(shapewise_options INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(shapewise_options INTERFACE ${shapewise_sanitize_flags})
endif()

# shapewise_library(model NEEDS support)
#   SOURCES       its files; without them, all *.cc of its folder
#   ALSO          further files, such as those that the build writes
#   NEEDS         modules this one may include (also listed in analyzer/layers.txt)
#   PRIVATE_LIBS  third-party libraries that only its sources see
#   HOT           every byte of the input goes through it: compiled for speed
#   COLD          its work does not grow with the input: compiled in the least time
function(shapewise_library module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOT;COLD" "" "SOURCES;ALSO;NEEDS;PRIVATE_LIBS")
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS *.cc)
  endif()
  add_library(shapewise_${module} STATIC ${arg_SOURCES} ${arg_ALSO})
  add_library(shapewise::${module} ALIAS shapewise_${module})
  target_include_directories(shapewise_${module}
    PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/analyzer")
  set_target_properties(shapewise_${module} PROPERTIES UNITY_BUILD_BATCH_SIZE 24)
  list(TRANSFORM arg_NEEDS PREPEND shapewise::)
  target_link_libraries(shapewise_${module}
    PUBLIC ${arg_NEEDS} shapewise_llvm
    PRIVATE shapewise_options ${arg_PRIVATE_LIBS})
  set(warmth WARM)
  foreach(given IN ITEMS HOT COLD)
    if(arg_${given})
      set(warmth ${given})
    endif()
  endforeach()
  target_compile_options(shapewise_${module} PRIVATE ${shapewise_${warmth}_options})
  set_property(GLOBAL APPEND PROPERTY SHAPEWISE_MODULES shapewise_${module})
endfunction()

# shapewise_test(support NEEDS support SOURCES unit/support/string_pool_test.cc)
#   A Catch2 program with its own main, run by ctest in the source tree.
function(shapewise_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;NEEDS;PRIVATE_LIBS")
  add_executable(test_${name} ${arg_SOURCES})
  list(TRANSFORM arg_NEEDS PREPEND shapewise::)
  target_include_directories(test_${name} PRIVATE
    "${PROJECT_SOURCE_DIR}/analyzer" "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(test_${name} PRIVATE
    ${arg_NEEDS} shapewise_options shapewise_catch_main ${arg_PRIVATE_LIBS})
  add_test(NAME unit.${name} COMMAND test_${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endfunction()
