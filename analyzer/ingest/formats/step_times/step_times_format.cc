#include "ingest/formats/step_times/step_row.h"
#include "ingest/formats/step_times/step_times_reader.h"
#include "ingest/log_format.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// So many rows, and nothing else, make a table of a text without a header.
constexpr size_t kMinRowsWithoutHeader = 3;

/// A header that names both columns with a row of two numbers behind it, or rows of two numbers
/// throughout: one line of another sort, and the text is taken for a log.
bool SniffStepTimes(std::string_view head) {
  const bool is_whole = head.size() < kSniffBytes;
  size_t num_rows = 0;
  bool has_header = false;
  bool is_first = true;
  while (!head.empty()) {
    const size_t newline = head.find('\n');
    if (newline == std::string_view::npos && !is_whole) break;  // a line that may be cut
    const std::string_view line = head.substr(0, newline);
    head.remove_prefix(newline == std::string_view::npos ? head.size() : newline + 1);
    if (IsBlankRow(line)) continue;
    if (is_first && ReadStepHeader(line)) {
      has_header = true;
    } else if (ReadStepRow(line, 1)) {
      ++num_rows;
    } else if (!has_header || num_rows == 0) {
      return false;
    }
    is_first = false;
  }
  return has_header ? num_rows > 0 : num_rows >= kMinRowsWithoutHeader;
}

}  // namespace

const LogFormat kStepTimesFormat{"step-times", SniffStepTimes, NewLogReader<StepTimesReader>};

}  // namespace shapewise
