// Bytes cut anywhere in, whole lines out.

#ifndef SHAPEWISE_ANALYZER_SUPPORT_LINE_SPLITTER_H_
#define SHAPEWISE_ANALYZER_SUPPORT_LINE_SPLITTER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "shapewise/support/stats.h"
#include "shapewise/support/text_input.h"
#include "support/byte_stage.h"

namespace shapewise {

/// The last stage. Lines that lie whole in what is appended are handed on without a copy; only what
/// is cut at the end is kept, which is never more than kMaxLineBytes.
class LineSplitter : public ByteStage {
 public:
  LineSplitter(LineSink& sink, Stats& stats, uint32_t input)
      : sink_(sink), stats_(stats), input_(input) {}

  void Append(std::string_view bytes) override;
  void Finish() override;

  /// So far; after Finish(), of the whole input.
  const TextTotals& totals() const { return totals_; }

 private:
  // Hands on what can be handed on of `bytes`, which start with the kept bytes, and returns how
  // many bytes that was. What is left is at most kMaxLineBytes without a newline.
  size_t HandOn(std::string_view bytes);
  size_t HandOnPiece(std::string_view piece, bool is_last);

  LineSink& sink_;
  Stats& stats_;
  const uint32_t input_;
  std::string kept_;  // the start of a line, or what is not yet dealt with of a long one
  bool is_in_long_line_ = false;
  bool is_first_piece_ = false;
  TextTotals totals_;  // lines: those whose newline was handed on
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SUPPORT_LINE_SPLITTER_H_
