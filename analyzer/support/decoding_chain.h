// The complete pipeline from the bytes of an input to its lines.

#ifndef SHAPEWISE_ANALYZER_SUPPORT_DECODING_CHAIN_H_
#define SHAPEWISE_ANALYZER_SUPPORT_DECODING_CHAIN_H_

#include <cstdint>
#include <string_view>

#include "shapewise/support/stats.h"
#include "shapewise/support/text_input.h"
#include "support/archive_stage.h"
#include "support/encoding_stage.h"
#include "support/line_splitter.h"

namespace shapewise {

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

#endif  // SHAPEWISE_ANALYZER_SUPPORT_DECODING_CHAIN_H_
