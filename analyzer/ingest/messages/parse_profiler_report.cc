// The report of torch._dynamo.utils.CompileProfiler, a table.
//
//   Torchdynamo Profiler Report
//   ===========================
//
//   Graph Breaks
//   ------------
//   Graph Break Reason                         Count
//   ---------------------------------------  -------
//   call_function BuiltinVariable(print)           2
//
//   Recompilation
//   -------------
//   Function                 Recompiles  Recompile Reasons
//   ---------------------  ------------  -----------------------
//   'forward' (gcn.py:36)             2  ___check_global_state()
//                                        L['n'] == 3
//
//   Set torch._dynamo.config.cache_size_limit to 2 to avoid being cache limited.

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/messages/parsers.h"
#include "model/guard.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// A table with larger numbers is damaged.
constexpr uint64_t kMaxRowCount = 1000;

enum class Table : uint8_t { kNone, kBreaks, kRecompiles };

/// The number at the end of `text`, which is removed together with the blanks before it.
std::optional<uint64_t> TakeLastNumber(std::string_view& text) {
  text = TrimRight(text);
  size_t digits = text.size();
  while (digits > 0 && IsDigit(text[digits - 1])) --digits;
  if (digits == text.size() || digits == 0 || text[digits - 1] != ' ') return std::nullopt;
  std::string_view number = text.substr(digits);
  const auto value = ConsumeUint<uint64_t>(number);
  text = Trim(text.substr(0, digits));
  return value;
}

/// One row of the table of recompiles.
struct RecompileRow {
  EventDetail frame;
  uint64_t count = 0;
  std::vector<std::string_view> reasons;
};

/// Adds one recompile for each reason, and those without a reason.
void AddRow(const RecompileRow& row, ParsedMessage& parsed) {
  const size_t num_reasons = row.reasons.size();
  for (size_t i = 0; i < std::max<uint64_t>(num_reasons, std::min(row.count, kMaxRowCount)); ++i) {
    ParsedFact& fact = parsed.Add(RecompileFact(), FactRole::kUnique);
    fact.detail = row.frame;
    if (i >= num_reasons) continue;
    fact.reasons.push_back(InternFailure(ParseGuardFailure(row.reasons[i]), parsed.strings));
  }
}

/// Parses "'forward' (gcn.py:36)             2  ___check_global_state()"; absent for other rows.
std::optional<RecompileRow> ReadRow(std::string_view text, ParsedMessage& parsed) {
  if (!ConsumeFront(text, "'")) return std::nullopt;
  const size_t quote = text.find("' (");
  if (quote == kNotFound) return std::nullopt;
  std::string_view rest;
  const CodePlace place = SplitFileLine(text.substr(quote + 3), &rest);
  if (!ConsumeFront(rest, ")")) return std::nullopt;
  rest = TrimLeft(rest);
  const auto count = parsed.ConsumeNumber<uint64_t>(rest);
  if (!count) return std::nullopt;
  RecompileRow row;
  row.frame.function = parsed.Intern(text.substr(0, quote));
  row.frame.file = parsed.Intern(place.file);
  row.frame.function_line = place.line;
  row.count = *count;
  if (!Trim(rest).empty()) row.reasons.push_back(Trim(rest));
  return row;
}

}  // namespace

void ParseProfilerReport(const Record& record, ParsedMessage& parsed) {
  Table table = Table::kNone;
  RecompileRow row;
  for (size_t i = 1; i < record.num_lines(); ++i) {
    const std::string_view text = Trim(record.line(i));
    if (text.starts_with("Graph Break Reason") && text.ends_with("Count")) {
      table = Table::kBreaks;
    } else if (text.starts_with("Function") && HasText(text, "Recompiles")) {
      table = Table::kRecompiles;
    } else if (text.empty() || text.starts_with("Set torch.")) {
      AddRow(std::exchange(row, {}), parsed);
      if (table == Table::kBreaks && text.empty()) table = Table::kNone;
    } else if (text.starts_with("---")) {
      continue;
    } else if (table == Table::kBreaks) {
      std::string_view reason = text;
      const uint64_t count = TakeLastNumber(reason).value_or(0);
      const StrId type = parsed.Intern(reason);
      for (uint64_t n = 0; n < std::min(count, kMaxRowCount); ++n) {
        parsed.Add(GraphBreakFact{.type = type}, FactRole::kUnique);
      }
    } else if (table == Table::kRecompiles) {
      if (std::optional<RecompileRow> next = ReadRow(text, parsed)) {
        AddRow(std::exchange(row, std::move(*next)), parsed);
      } else if (row.count > 0 && row.reasons.size() < row.count) {
        row.reasons.push_back(text);
      }
    }
  }
  AddRow(row, parsed);
}

}  // namespace shapewise
