// Files of the source tree in the program, embedded at build time by ShapewiseEmbedFiles.cmake.

#ifndef SHAPEWISE_SUPPORT_EMBEDDED_FILE_H_
#define SHAPEWISE_SUPPORT_EMBEDDED_FILE_H_

#include <span>
#include <string_view>

namespace shapewise {

/// One file. Its text is static; the function that shapewise_embed_files() names returns all of
/// them, in byte order of their paths.
struct EmbeddedFile {
  std::string_view path;  ///< "analyzer/report/schemas/lint.json"
  std::string_view text;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_EMBEDDED_FILE_H_
