// The ends of inputs, for what only the end of a log shows.

#ifndef SHAPEWISE_INGEST_INPUT_ENDS_H_
#define SHAPEWISE_INGEST_INPUT_ENDS_H_

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "shapewise/support/text_input.h"

namespace shapewise {

/// The last text of each input, decompressed, kept while the input is read: standard input can be
/// read once only. Thread-safe.
class InputEnds {
 public:
  /// A traceback and the message of its exception fit in.
  static constexpr size_t kMaxBytes = size_t{1} << 16U;

  void Set(const std::string& name, std::string end);
  /// At most kMaxBytes; empty: no such input was read.
  std::string Of(const std::string& name) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> ends_;
};

/// Passes text on and keeps its end.
class EndKeeper final : public LineSink {
 public:
  explicit EndKeeper(LineSink& next) : next_(next) {}

  void OnLines(std::string_view lines, uint64_t first_line) override;
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override;

  /// The last InputEnds::kMaxBytes of what came.
  std::string TakeEnd();

 private:
  void Keep(std::string_view text);

  LineSink& next_;
  std::string end_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_INPUT_ENDS_H_
