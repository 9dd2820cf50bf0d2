// Counts of an input with one JSON object per line.

#ifndef SHAPEWISE_INGEST_JSON_LINE_TOTALS_H_
#define SHAPEWISE_INGEST_JSON_LINE_TOTALS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/error.h"

namespace shapewise {

class Redactor;

/// An unexpected or incomplete line.
struct DamagedLine {
  uint64_t line = 0;  ///< 1-based
  std::string what;   ///< a clause: "it is not JSON"
};

/// What was read of one input.
struct JsonLineTotals {
  static constexpr size_t kMaxKept = 5;

  uint64_t records = 0;  ///< usable objects
  uint64_t damaged = 0;
  std::vector<DamagedLine> first_damaged;  ///< at most kMaxKept
  std::string first_line;                  ///< at most 200 bytes

  void NoteLine(std::string_view text) {
    if (first_line.empty()) first_line = text.substr(0, 200);
  }
  /// " (line 3: it is not JSON)", for the first damaged line; empty: no line is damaged.
  std::string DescribeDamage() const {
    if (first_damaged.empty()) return {};
    const DamagedLine& first = first_damaged.front();
    return " (line " + std::to_string(first.line) + ": " + first.what + ")";
  }
  void NoteDamage(uint64_t line, std::string what) {
    if (damaged++ < kMaxKept) first_damaged.push_back({line, std::move(what)});
  }
};

/// Redacts the quoted parts of the input in `totals`.
void RedactTotals(Redactor& redactor, JsonLineTotals& totals);

/// `error` with its message redacted, or unchanged without a `redactor`.
Error RedactedError(Error error, Redactor* redactor);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_JSON_LINE_TOTALS_H_
