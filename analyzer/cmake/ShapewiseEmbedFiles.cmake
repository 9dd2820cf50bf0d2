# Puts files of the source tree into the program, so that it needs no data folder at run time.
#
# Included, this file defines shapewise_embed_files(); run with `cmake -P`, it is the generator that
# the build calls. Bytes become an array and no string literal, because compilers limit the length
# of those, and one that is cut for their sake may be cut within a character.

if(CMAKE_SCRIPT_MODE_FILE)
  # cmake -DROOT=<source tree> -DLIST=<file of paths> -DFUNCTION=<gives all of them>
  #       -DOUT=<file.cc> -P ShapewiseEmbedFiles.cmake
  file(STRINGS "${LIST}" paths)
  set(arrays "")
  set(entries "")
  set(index 0)
  foreach(path IN LISTS paths)
    # A script goes on after a failed read, and would leave a file that looks finished.
    if(NOT EXISTS "${ROOT}/${path}")
      message(FATAL_ERROR "${ROOT}/${path}: no such file")
    endif()
    file(READ "${ROOT}/${path}" hex HEX)
    # The last byte is separate, so that an empty file gives a valid array, too.
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND arrays "const unsigned char kFile${index}[] = {\n${bytes}0};\n")
    string(APPEND entries "    {\"${path}\", TextOf(kFile${index}, sizeof(kFile${index}) - 1)},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  if(index EQUAL 0)
    set(body "  return {};\n")
  else()
    set(body "  static const EmbeddedFile files[] = {\n${entries}  };\n  return files;\n")
  endif()
  file(WRITE "${OUT}" "// Written by ShapewiseEmbedFiles.cmake.

#include \"support/embedded_file.h\"

namespace shapewise {
namespace {

[[maybe_unused]] std::string_view TextOf(const unsigned char* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

${arrays}
}  // namespace

std::span<const EmbeddedFile> ${FUNCTION}() {
${body}}

}  // namespace shapewise
")
  return()
endif()

set(SHAPEWISE_EMBED_FILES_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

# shapewise_list_files(OUT_VARIABLE rules/*/*.md)
#
# OUT_VARIABLE becomes the files that a pattern names, seen from the source tree, and
# OUT_VARIABLE_list a file that lists them, one a line. A new, changed or removed file is noticed by
# the next build.
function(shapewise_list_files out_variable)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE patterns)
  file(GLOB paths CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${patterns})
  list(SORT paths)
  list(TRANSFORM paths PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE files)

  # The list is a dependency of its own: without it a removed file would change no input.
  set(list_file "${CMAKE_CURRENT_BINARY_DIR}/${out_variable}.txt")
  list(JOIN paths "\n" list_text)
  file(CONFIGURE OUTPUT "${list_file}" CONTENT "${list_text}\n" @ONLY)
  set(${out_variable} "${files}" PARENT_SCOPE)
  set(${out_variable}_list "${list_file}" PARENT_SCOPE)
endfunction()

# shapewise_embed_files(OUT_VARIABLE FUNCTION StartUpFiles PATTERNS python/shapewise/record/*.py)
#
# Names the generated source in OUT_VARIABLE. It defines FUNCTION of support/embedded_file.h, which
# gives an EmbeddedFile for each file that a pattern names.
function(shapewise_embed_files out_variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FUNCTION" "PATTERNS")
  shapewise_list_files(${out_variable} ${arg_PATTERNS})
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${out_variable}.cc")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}" "-DLIST=${${out_variable}_list}"
            "-DFUNCTION=${arg_FUNCTION}" "-DOUT=${source}" -P "${SHAPEWISE_EMBED_FILES_SCRIPT}"
    DEPENDS "${SHAPEWISE_EMBED_FILES_SCRIPT}" "${${out_variable}_list}" ${${out_variable}}
    COMMENT "Embedding files: ${arg_FUNCTION}"
    VERBATIM)
  # Two of these in one unit would clash.
  set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(${out_variable} "${source}" PARENT_SCOPE)
endfunction()
