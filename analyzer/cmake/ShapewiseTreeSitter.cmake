# tree-sitter from the system's packages, and the grammar of Python from npm's registry.
#
# Distributions do not package grammars. The one at PyPI lacks the headers that its own code
# includes, so what npm has is taken: generated C, which is compiled into the program. It is
# downloaded once for each checkout, below build/downloads; SHAPEWISE_TREE_SITTER_PYTHON names an
# unpacked folder where there is no network.

set(SHAPEWISE_TREE_SITTER_PYTHON "" CACHE PATH
  "Unpacked tree-sitter-python 0.23.6 (the folder with src/parser.c); empty: download it")

find_path(SHAPEWISE_TREE_SITTER_INCLUDE tree_sitter/api.h REQUIRED)
# The static library where there is one: calls into it are short and many.
find_library(SHAPEWISE_TREE_SITTER_LIBRARY NAMES libtree-sitter.a tree-sitter REQUIRED)

function(shapewise_tree_sitter_python out_folder)
  if(SHAPEWISE_TREE_SITTER_PYTHON)
    set(folder "${SHAPEWISE_TREE_SITTER_PYTHON}")
    if(NOT EXISTS "${folder}/src/parser.c")
      message(FATAL_ERROR "SHAPEWISE_TREE_SITTER_PYTHON: ${folder}/src/parser.c is not there")
    endif()
    set(${out_folder} "${folder}" PARENT_SCOPE)
    return()
  endif()
  set(version 0.23.6)
  set(url "https://registry.npmjs.org/tree-sitter-python/-/tree-sitter-python-${version}.tgz")
  set(hash aab5b860d93dbf84b37fed532f7dacc0468ede5387d0c74911d68f964287662a)
  set(downloads "${PROJECT_SOURCE_DIR}/build/downloads")
  set(archive "${downloads}/tree-sitter-python-${version}.tgz")
  set(folder "${downloads}/tree-sitter-python-${version}")
  # Two presets may be configured at the same time.
  file(LOCK "${downloads}" DIRECTORY GUARD FUNCTION TIMEOUT 300)
  set(found "")
  if(EXISTS "${archive}")
    file(SHA256 "${archive}" found)
  endif()
  if(NOT found STREQUAL hash)
    message(STATUS "Downloading ${url}")
    file(DOWNLOAD "${url}" "${archive}" STATUS status TLS_VERIFY ON INACTIVITY_TIMEOUT 60)
    list(GET status 0 code)
    list(GET status 1 reason)
    if(code EQUAL 0)
      file(SHA256 "${archive}" found)
      if(NOT found STREQUAL hash)
        set(reason "its SHA-256 is ${found}, not ${hash}")
        set(code 1)
      endif()
    endif()
    if(NOT code EQUAL 0)
      file(REMOVE "${archive}")
      message(FATAL_ERROR "The grammar of Python cannot be had from ${url}: ${reason}.\n"
        "Without a network: unpack that file elsewhere, and configure with "
        "-DSHAPEWISE_TREE_SITTER_PYTHON=<the folder with src/parser.c>")
    endif()
    file(REMOVE_RECURSE "${folder}")
  endif()
  if(NOT EXISTS "${folder}/package/src/scanner.c")
    file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${folder}"
      PATTERNS "package/src/*" "package/LICENSE")
  endif()
  set(${out_folder} "${folder}/package" PARENT_SCOPE)
endfunction()

shapewise_tree_sitter_python(shapewise_grammar)
add_library(shapewise_tree_sitter STATIC
  "${shapewise_grammar}/src/parser.c" "${shapewise_grammar}/src/scanner.c")
target_include_directories(shapewise_tree_sitter SYSTEM
  PRIVATE "${shapewise_grammar}/src"
  INTERFACE "${SHAPEWISE_TREE_SITTER_INCLUDE}")
# Not our code: no warnings, and never slower than in a release. Its memory is tree-sitter's.
target_compile_options(shapewise_tree_sitter PRIVATE -w -O3)
target_compile_definitions(shapewise_tree_sitter PRIVATE TREE_SITTER_REUSE_ALLOCATOR)
target_link_libraries(shapewise_tree_sitter PUBLIC "${SHAPEWISE_TREE_SITTER_LIBRARY}")
