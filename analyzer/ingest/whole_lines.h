// Lines of any length, one by one, and inputs with one JSON object per line.

#ifndef SHAPEWISE_INGEST_WHOLE_LINES_H_
#define SHAPEWISE_INGEST_WHOLE_LINES_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/json_fields.h"
#include "ingest/json_line_totals.h"
#include "support/text_input.h"
#include "support/text_scan.h"

namespace shapewise {

/// Calls `each(line, number)` for every line of `lines`, without its newline; the first has the
/// number `first_line`.
template <typename Each>
void ForEachLine(std::string_view lines, uint64_t first_line, const Each& each) {
  for (uint64_t number = first_line; !lines.empty(); ++number) {
    const size_t end = std::min(FindText(lines, "\n"), lines.size());
    each(lines.substr(0, end), number);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

/// Joins the pieces of long lines, up to kMaxBytes, and passes on line by line, without blank ones.
class WholeLines : public LineSink {
 public:
  static constexpr size_t kMaxBytes = size_t{1} << 30;

  /// `totals` outlives this. Blanks around a line are dropped; with `keeps_indent`, those before it
  /// stay.
  explicit WholeLines(JsonLineTotals& totals, bool keeps_indent = false)
      : totals_(totals), keeps_indent_(keeps_indent) {}

  void OnLines(std::string_view lines, uint64_t first_line) override;
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override;

 protected:
  /// Passes a whole line to OnLine, unless it is blank.
  void PassOn(std::string_view text, uint64_t line);
  /// `text` has no newline; the view is valid during the call.
  virtual void OnLine(std::string_view text, uint64_t line) = 0;
  /// A line longer than kMaxBytes.
  virtual void OnTooLong(uint64_t line) { totals_.NoteDamage(line, "it is longer than 1 GiB"); }

  JsonLineTotals& totals_;

 private:
  bool keeps_indent_;
  std::string long_line_;
  bool is_too_long_ = false;
};

/// Parses one JSON object per line; anything else is counted as damage.
class JsonLines : public WholeLines {
 public:
  /// The subclass counts the records.
  explicit JsonLines(JsonLineTotals& totals) : WholeLines(totals) {}

 protected:
  /// `text` is the line that contains `json`; both are valid during the call.
  virtual void OnObject(simdjson::dom::object json, std::string_view text, uint64_t line) = 0;

  void OnLine(std::string_view text, uint64_t line) override;

 private:
  JsonParser parser_;
};

/// Reads all of `path` into `sink`. Error: it cannot be read to its end, or is a damaged archive,
/// in which case the message ends with `note`; `sink` has received everything before the damage.
Error ReadUndamaged(const std::string& path, FileSource& files, LineSink& sink,
                    std::string_view note = {});

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_WHOLE_LINES_H_
