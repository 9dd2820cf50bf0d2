// Text out, one zstd frame.

#ifndef SHAPEWISE_SUPPORT_ZSTD_WRITER_H_
#define SHAPEWISE_SUPPORT_ZSTD_WRITER_H_

#include <memory>
#include <string_view>

#include "llvm/Support/raw_ostream.h"

namespace shapewise {

/// Compresses what is appended and writes it on, block by block; memory does not grow with it. The
/// same text, cut anywhere, gives the same bytes with one version of the library.
class ZstdWriter {
 public:
  /// `out` must outlive the writer; errors of it are the caller's to look at.
  explicit ZstdWriter(llvm::raw_ostream& out);
  ~ZstdWriter();
  ZstdWriter(const ZstdWriter&) = delete;
  ZstdWriter& operator=(const ZstdWriter&) = delete;

  void Append(std::string_view text);

  /// Hands on all that was appended, so that it can be read even if the rest is lost.
  void Flush();

  /// Ends the frame. Called once, last.
  void Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_ZSTD_WRITER_H_
