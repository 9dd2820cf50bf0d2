// The pipeline that turns the bytes of an input into its lines.

#ifndef SHAPEWISE_SUPPORT_DECODING_CHAIN_H_
#define SHAPEWISE_SUPPORT_DECODING_CHAIN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "support/stats.h"
#include "support/text_input.h"

namespace shapewise {

/// Takes the bytes of one input in order, split anywhere.
class ByteStage {
 public:
  virtual ~ByteStage() = default;

  virtual void Append(std::string_view bytes) = 0;

  /// Ends the input. Call once, last.
  virtual void Finish() = 0;
};

/// A stage that inspects the first bytes before it decides how to process all of them.
class SniffingStage : public ByteStage {
 public:
  void Append(std::string_view bytes) final {
    if (!has_begun_) {
      if (!head_.empty() || bytes.size() < head_size_) {
        const size_t missing = std::min(head_size_ - head_.size(), bytes.size());
        head_.append(bytes.substr(0, missing));
        bytes.remove_prefix(missing);
        if (head_.size() < head_size_) return;
        Begin();
      } else {
        has_begun_ = true;
        Sniff(bytes);
      }
    }
    if (!bytes.empty()) Take(bytes);
  }

  void Finish() final {
    if (!has_begun_) Begin();
    End();
  }

 protected:
  /// `head_size`: number of bytes to inspect.
  explicit SniffingStage(size_t head_size) : head_size_(head_size) {}

 private:
  /// Called once, before Take. `bytes` may be longer than the head, and is shorter only if the
  /// input is.
  virtual void Sniff(std::string_view bytes) = 0;

  /// Takes bytes, including the head.
  virtual void Take(std::string_view bytes) = 0;

  virtual void End() = 0;

  void Begin() {
    has_begun_ = true;
    Sniff(head_);
    if (!head_.empty()) Take(head_);
  }

  const size_t head_size_;
  bool has_begun_ = false;
  std::string head_;
};

/// The last stage. Complete lines are passed on without copying; only the incomplete end is stored,
/// at most kMaxLineBytes.
class LineSplitter : public ByteStage {
 public:
  LineSplitter(LineSink& sink, Stats& stats, uint32_t input)
      : sink_(sink), stats_(stats), input_(input) {}

  void Append(std::string_view bytes) override;
  void Finish() override;

  /// Totals so far; after Finish(), of the whole input.
  const TextTotals& totals() const { return totals_; }

 private:
  // Passes on as much as possible of `bytes`, which start with the stored bytes, and returns the
  // number of bytes. The rest is at most kMaxLineBytes without a newline.
  size_t HandOn(std::string_view bytes);
  size_t HandOnPiece(std::string_view piece, bool is_last);

  LineSink& sink_;
  Stats& stats_;
  const uint32_t input_;
  std::string kept_;  // the start of a line, or the unconsumed part of a long one
  bool is_in_long_line_ = false;
  bool is_first_piece_ = false;
  TextTotals totals_;  // lines: those whose newline was passed on
};

/// Detects the encoding by the byte order mark. Text without one is assumed to be UTF-8 and passed
/// through. An unpaired surrogate or half of a code unit becomes U+FFFD.
class EncodingStage : public SniffingStage {
 public:
  explicit EncodingStage(ByteStage& next);

  bool is_utf16() const { return encoding_ != Encoding::kUtf8; }

 private:
  enum class Encoding : uint8_t { kUtf8, kUtf16LittleEndian, kUtf16BigEndian };

  void Sniff(std::string_view bytes) override;
  void Take(std::string_view bytes) override;
  void End() override;

  // Transcodes the ASCII prefix of `bytes`, four units at a time, and returns its size.
  size_t TakeAscii(std::string_view bytes);
  void TakeUnit(unsigned char first, unsigned char second);
  void FlushUtf8();

  ByteStage& next_;
  Encoding encoding_ = Encoding::kUtf8;
  size_t mark_left_ = 0;  // bytes of the byte order mark still to be dropped
  std::optional<unsigned char> half_unit_;
  char32_t high_surrogate_ = 0;  // 0: the last unit was not a high surrogate
  std::string utf8_;
};

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

/// Decompresses, transcodes and splits one input.
class DecodingChain {
 public:
  DecodingChain(LineSink& sink, Stats& stats, uint32_t input)
      : stats_(stats),
        input_(input),
        splitter_(sink, stats, input),
        encoding_(splitter_),
        archive_(encoding_) {}
  DecodingChain(const DecodingChain&) = delete;
  DecodingChain& operator=(const DecodingChain&) = delete;

  /// Adds the next bytes of the input, split anywhere.
  void Append(std::string_view bytes) { archive_.Append(bytes); }

  /// Totals of what was passed on so far.
  const TextTotals& totals_so_far() const { return splitter_.totals(); }

  /// Passes on pending data and returns the totals. Call once, last.
  TextTotals Finish() {
    archive_.Finish();
    const TextTotals& totals = splitter_.totals();
    // The line shows how far the archive could be read.
    if (archive_.is_damaged()) stats_.Bump(Stat::archive_damaged, input_, totals.lines);
    if (encoding_.is_utf16()) stats_.Bump(Stat::utf16_transcoded, input_, 0);
    return totals;
  }

 private:
  Stats& stats_;
  const uint32_t input_;
  LineSplitter splitter_;
  EncodingStage encoding_;
  ArchiveStage archive_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_DECODING_CHAIN_H_
