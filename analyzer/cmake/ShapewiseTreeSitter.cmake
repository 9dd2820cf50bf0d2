# tree-sitter from the system's packages, and the grammar of Python from npm's registry.
#
# Distributions do not package grammars. The one at PyPI lacks the headers that its own code
# includes, so what npm has is taken: generated C, which is compiled into the program.

set(SHAPEWISE_TREE_SITTER_PYTHON "" CACHE PATH
  "Unpacked tree-sitter-python 0.23.6 (the folder with src/parser.c); empty: download it")

find_path(SHAPEWISE_TREE_SITTER_INCLUDE tree_sitter/api.h REQUIRED)
# The static library where there is one: calls into it are short and many.
find_library(SHAPEWISE_TREE_SITTER_LIBRARY NAMES libtree-sitter.a tree-sitter REQUIRED)

shapewise_npm_sources(shapewise_grammar
  PACKAGE tree-sitter-python VERSION 0.23.6
  SHA256 aab5b860d93dbf84b37fed532f7dacc0468ede5387d0c74911d68f964287662a
  INSTEAD SHAPEWISE_TREE_SITTER_PYTHON
  MEMBERS src/scanner.c src/* LICENSE)
add_library(shapewise_tree_sitter STATIC
  "${shapewise_grammar}/src/parser.c" "${shapewise_grammar}/src/scanner.c")
target_include_directories(shapewise_tree_sitter SYSTEM
  PRIVATE "${shapewise_grammar}/src"
  INTERFACE "${SHAPEWISE_TREE_SITTER_INCLUDE}")
# Not our code: no warnings, and never slower than in a release. Its memory is tree-sitter's.
target_compile_options(shapewise_tree_sitter PRIVATE -w -O3)
target_compile_definitions(shapewise_tree_sitter PRIVATE TREE_SITTER_REUSE_ALLOCATOR)
target_link_libraries(shapewise_tree_sitter PUBLIC "${SHAPEWISE_TREE_SITTER_LIBRARY}")
