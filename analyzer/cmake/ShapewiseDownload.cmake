# Sources that distributions do not package, from the npm registry by its own client, checked by
# their SHA-256.

# shapewise_npm_sources(OUT_FOLDER PACKAGE @nozbe/simdjson VERSION 3.9.4 SHA256 d5c2...
#                       INSTEAD SHAPEWISE_SIMDJSON MEMBERS src/simdjson.cpp src/simdjson.h)
#
# Names in OUT_FOLDER the folder of the unpacked package. `npm pack` downloads it once for each
# checkout, below build/downloads. INSTEAD is a variable that names an unpacked folder where there is
# no network. MEMBERS are unpacked; the first is a file, by which the folder is known to be whole.
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
  # npm's name of the file: "@scope/name" becomes "scope-name".
  string(REPLACE "/" "-" name "${arg_PACKAGE}-${arg_VERSION}")
  string(REPLACE "@" "" name "${name}")
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
    message(STATUS "npm pack ${arg_PACKAGE}@${arg_VERSION}")
    set(reason "")
    execute_process(
      COMMAND npm pack --silent --pack-destination "${downloads}" "${arg_PACKAGE}@${arg_VERSION}"
      RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE reason)
    if(code EQUAL 0 AND EXISTS "${archive}")
      file(SHA256 "${archive}" found)
      set(reason "its SHA-256 is ${found}, not ${arg_SHA256}")
    endif()
    if(NOT found STREQUAL arg_SHA256)
      file(REMOVE "${archive}")
      message(FATAL_ERROR
        "npm pack ${arg_PACKAGE}@${arg_VERSION} failed (${code}): ${reason}\n"
        "Install npm, or unpack that package elsewhere and configure with "
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
