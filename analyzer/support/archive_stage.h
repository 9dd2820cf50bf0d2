// Decompresses gzip and zstd; passes everything else through.

#ifndef SHAPEWISE_ANALYZER_SUPPORT_ARCHIVE_STAGE_H_
#define SHAPEWISE_ANALYZER_SUPPORT_ARCHIVE_STAGE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "support/byte_stage.h"

namespace shapewise {

/// Decompresses one format. For damaged input, the output depends on the block boundaries; the
/// stage below ensures that they are always the same.
class Decompressor {
 public:
  virtual ~Decompressor() = default;

  /// Passes on the text of `block`. False: damaged here, so nothing more can be read.
  virtual bool Decompress(std::string_view block, ByteStage& next) = 0;

  /// Whether the input may end here.
  virtual bool IsAtEnd() const = 0;
};

/// Detects the format by the first bytes. Memory: one block in, one block out and what the format
/// needs, at most 128 MiB for zstd.
class ArchiveStage : public SniffingStage {
 public:
  explicit ArchiveStage(ByteStage& next);

  /// After Finish(): whether the archive was truncated or damaged.
  bool is_damaged() const { return is_damaged_; }

 private:
  void Sniff(std::string_view bytes) override;
  void Take(std::string_view bytes) override;
  void End() override;

  void Decompress(std::string_view block);

  ByteStage& next_;
  std::unique_ptr<Decompressor> decompressor_;  // null: not compressed
  std::string block_;                           // the start of an incomplete block
  bool is_damaged_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SUPPORT_ARCHIVE_STAGE_H_
