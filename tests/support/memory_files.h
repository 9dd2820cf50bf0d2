// Files for tests: names and texts in memory.

#ifndef SHAPEWISE_TESTS_SUPPORT_MEMORY_FILES_H_
#define SHAPEWISE_TESTS_SUPPORT_MEMORY_FILES_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/text_input.h"

namespace shapewise {

/// Reads what it was given; any other path does not exist.
class MemoryFiles final : public FileSource {
 public:
  std::map<std::string, std::string> files;  // path -> text

  Expected<std::vector<std::string>> Expand(const std::string& path) override {
    if (!files.contains(path)) return MakeError(path + ": no such file");
    return std::vector<std::string>{path};
  }

  Error Read(const std::string& path, LineSink& sink, Stats& stats, uint32_t input,
             TextTotals& totals) override {
    totals = ReadChunks({files.at(path)}, sink, stats, input);
    return Error::success();
  }

  Expected<std::unique_ptr<llvm::MemoryBuffer>> Open(const std::string& path) override {
    if (!files.contains(path)) return MakeError(path + ": no such file");
    return llvm::MemoryBuffer::getMemBufferCopy(files.at(path), path);
  }
};

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_MEMORY_FILES_H_
