// Bytes in, bytes out: gzip and zstd are decompressed, everything else is handed on unseen.

#ifndef SHAPEWISE_ANALYZER_SUPPORT_ARCHIVE_STAGE_H_
#define SHAPEWISE_ANALYZER_SUPPORT_ARCHIVE_STAGE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "support/byte_stage.h"

namespace shapewise {

/// Decompresses one format. What it hands on depends on the blocks it is given, where the input is
/// damaged; the stage below sees to it that these are always the same.
class Decompressor {
 public:
  virtual ~Decompressor() = default;

  /// Hands on the text of `block`. False: damaged here, nothing more can be read.
  virtual bool Decompress(std::string_view block, ByteStage& next) = 0;

  /// Whether the input may end here.
  virtual bool IsAtEnd() const = 0;
};

/// Tells the format by the first bytes. Memory: a block in, a block out and what the format asks
/// for, at most 128 MiB for zstd.
class ArchiveStage : public SniffingStage {
 public:
  explicit ArchiveStage(ByteStage& next);

  /// After Finish(): whether the archive ended early or was damaged.
  bool is_damaged() const { return is_damaged_; }

 private:
  void Sniff(std::string_view bytes) override;
  void Take(std::string_view bytes) override;
  void End() override;

  void Decompress(std::string_view block);

  ByteStage& next_;
  std::unique_ptr<Decompressor> decompressor_;  // null: not compressed
  std::string block_;                           // the start of a block that is not yet complete
  bool is_damaged_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SUPPORT_ARCHIVE_STAGE_H_
