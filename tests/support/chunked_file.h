// One text that readers get in pieces: for laws that hold wherever an input is cut.

#ifndef SHAPEWISE_TESTS_SUPPORT_CHUNKED_FILE_H_
#define SHAPEWISE_TESTS_SUPPORT_CHUNKED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/text_input.h"

namespace shapewise {

/// One text, in chunks of so many bytes.
class ChunkedFile final : public FileSource {
 public:
  ChunkedFile(std::string_view text, size_t chunk_bytes) : text_(text), chunk_bytes_(chunk_bytes) {}

  Expected<std::vector<std::string>> Expand(const std::string& path) override {
    return std::vector<std::string>{path};
  }
  Error Read(const std::string&, LineSink& sink, Stats& stats, uint32_t input,
             TextTotals& totals) override {
    std::vector<std::string_view> chunks;
    for (size_t at = 0; at < text_.size(); at += chunk_bytes_) {
      chunks.push_back(text_.substr(at, chunk_bytes_));
    }
    totals = ReadChunks(chunks, sink, stats, input);
    return Error::success();
  }
  Expected<std::unique_ptr<llvm::MemoryBuffer>> Open(const std::string&) override {
    return MakeError("not read whole");
  }

 private:
  std::string_view text_;
  size_t chunk_bytes_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_CHUNKED_FILE_H_
