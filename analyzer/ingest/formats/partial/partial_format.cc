// Partial results: inputs read by another run of this program. Their inputs replace the partial
// file.

#include <string>

#include "ingest/log_format.h"
#include "ingest/whole_lines.h"
#include "partial/partial.h"

namespace shapewise {
namespace {

constexpr std::string_view kName = "partial";

/// Passes the lines on as rows.
class PartialLogReader final : public LogReader {
 public:
  PartialLogReader(Session& session, uint32_t input) : rows_(session, input) {
    // Until the first input of the partial result replaces it.
    session.input(input).format = kName;
  }

  void OnLines(std::string_view lines, uint64_t first_line) override {
    ForEachLine(lines, first_line,
                [&](std::string_view row, uint64_t line) { rows_.ReadRow(row, line); });
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    if (is_first) row_.clear();
    // One more byte is enough to show that it is too long.
    if (row_.size() <= PartialReader::kMaxRowBytes) row_ += piece;
    if (is_last) rows_.ReadRow(row_, line);
    return piece.size();
  }

  void Finish() override { rows_.Finish(); }
  uint64_t torch_lines() const override { return 0; }
  bool brings_inputs() const override { return true; }
  std::string failure() const override { return rows_.failure(); }

 private:
  PartialReader rows_;
  std::string row_;  // the part of a long row read so far
};

bool SniffPartial(std::string_view head) { return head.starts_with(kPartialHead); }

}  // namespace

const LogFormat kPartialFormat{kName, SniffPartial, NewLogReader<PartialLogReader>};

}  // namespace shapewise
