// Writes text as one zstd frame.

#ifndef SHAPEWISE_SUPPORT_ZSTD_WRITER_H_
#define SHAPEWISE_SUPPORT_ZSTD_WRITER_H_

#include <memory>
#include <string_view>

#include "llvm/Support/raw_ostream.h"

namespace shapewise {

/// Compresses and writes appended text block by block; memory does not grow with it. Equal texts,
/// however split, give equal bytes with one version of the library.
class ZstdWriter {
 public:
  /// `out` must outlive the writer; the caller must check it for errors.
  explicit ZstdWriter(llvm::raw_ostream& out);
  ~ZstdWriter();
  ZstdWriter(const ZstdWriter&) = delete;
  ZstdWriter& operator=(const ZstdWriter&) = delete;

  void Append(std::string_view text);

  /// Writes everything appended so far, so that it can be read even if the rest is lost.
  void Flush();

  /// Ends the frame. Call once, last.
  void Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_ZSTD_WRITER_H_
