# Sources that distributions do not package, from npm's registry, checked by their SHA-256.

# shapewise_npm_sources(OUT_FOLDER PACKAGE tree-sitter-python VERSION 0.23.6 SHA256 aab5...
#                       INSTEAD SHAPEWISE_TREE_SITTER_PYTHON MEMBERS src/parser.c src)
#
# Names in OUT_FOLDER the folder of the unpacked package. It is downloaded once for each checkout,
# below build/downloads. INSTEAD is a variable that names an unpacked folder where there is no
# network. MEMBERS are unpacked; the first is a file, by which the folder is known to be whole.
function(shapewise_npm_sources out_folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PACKAGE;VERSION;SHA256;INSTEAD" "MEMBERS")
  list(GET arg_MEMBERS 0 first)
  if(${arg_INSTEAD})
    if(NOT EXISTS "${${arg_INSTEAD}}/${first}")
      message(FATAL_ERROR "${arg_INSTEAD}: ${${arg_INSTEAD}}/${first} is not there")
    endif()
    set(${out_folder} "${${arg_INSTEAD}}" PARENT_SCOPE)
    return()
  endif()
  # "@scope/name" is called "name" in the registry's own file names.
  string(REGEX REPLACE ".*/" "" base "${arg_PACKAGE}")
  set(name "${base}-${arg_VERSION}")
  set(url "https://registry.npmjs.org/${arg_PACKAGE}/-/${name}.tgz")
  set(downloads "${PROJECT_SOURCE_DIR}/build/downloads")
  set(archive "${downloads}/${name}.tgz")
  set(folder "${downloads}/${name}")
  # Two presets may be configured at the same time.
  file(LOCK "${downloads}" DIRECTORY GUARD FUNCTION TIMEOUT 300)
  set(found "")
  if(EXISTS "${archive}")
    file(SHA256 "${archive}" found)
  endif()
  if(NOT found STREQUAL arg_SHA256)
    message(STATUS "Downloading ${url}")
    file(DOWNLOAD "${url}" "${archive}" STATUS status TLS_VERIFY ON INACTIVITY_TIMEOUT 60)
    list(GET status 0 code)
    list(GET status 1 reason)
    if(code EQUAL 0)
      file(SHA256 "${archive}" found)
      if(NOT found STREQUAL arg_SHA256)
        set(reason "its SHA-256 is ${found}, not ${arg_SHA256}")
        set(code 1)
      endif()
    endif()
    if(NOT code EQUAL 0)
      file(REMOVE "${archive}")
      message(FATAL_ERROR "${arg_PACKAGE} cannot be had from ${url}: ${reason}.\n"
        "Without a network: unpack that file elsewhere, and configure with "
        "-D${arg_INSTEAD}=<the folder with ${first}>")
    endif()
    file(REMOVE_RECURSE "${folder}")
  endif()
  if(NOT EXISTS "${folder}/package/${first}")
    list(TRANSFORM arg_MEMBERS PREPEND "package/")
    file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${folder}" PATTERNS ${arg_MEMBERS})
  endif()
  set(${out_folder} "${folder}/package" PARENT_SCOPE)
endfunction()
