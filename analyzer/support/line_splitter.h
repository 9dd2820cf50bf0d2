// Splits bytes into whole lines.

#ifndef SHAPEWISE_ANALYZER_SUPPORT_LINE_SPLITTER_H_
#define SHAPEWISE_ANALYZER_SUPPORT_LINE_SPLITTER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "shapewise/support/stats.h"
#include "shapewise/support/text_input.h"
#include "support/byte_stage.h"

namespace shapewise {

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

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SUPPORT_LINE_SPLITTER_H_
