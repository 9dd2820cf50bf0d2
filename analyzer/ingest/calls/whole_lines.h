// Lines of any length, one by one: JSON is read a line at once.

#ifndef SHAPEWISE_INGEST_CALLS_WHOLE_LINES_H_
#define SHAPEWISE_INGEST_CALLS_WHOLE_LINES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "shapewise/support/text_input.h"

namespace shapewise {

/// Puts the pieces of long lines together, up to kMaxBytes, and hands out line by line, blank ones
/// left out.
class WholeLines : public LineSink {
 public:
  static constexpr size_t kMaxBytes = size_t{1} << 30;

  /// Blanks around a line are dropped; those before it only if they mean nothing.
  explicit WholeLines(bool keeps_indent = false) : keeps_indent_(keeps_indent) {}

  void OnLines(std::string_view lines, uint64_t first_line) final;
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) final;

 protected:
  /// `text` is without its newline; the view dies with the call.
  virtual void OnLine(std::string_view text, uint64_t line) = 0;
  /// A line longer than kMaxBytes.
  virtual void OnTooLong(uint64_t line) = 0;

 private:
  void HandOn(std::string_view text, uint64_t line);

  bool keeps_indent_;
  std::string long_line_;
  bool is_too_long_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_CALLS_WHOLE_LINES_H_
