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
#include <string_view>

#include "ingest/messages/parsers.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// A table with larger numbers is damaged.
constexpr uint64_t kMaxRowCount = 1000;

enum class Table : uint8_t { kNone, kBreaks, kRecompiles };

/// The number at the end of `text`, which is dropped together with the blanks before it.
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
  EventDetail detail;
  uint64_t count = 0;
  std::vector<std::string_view> reasons;
};

/// Emits one recompile a reason, and those without one.
void EmitRow(RecompileRow& row, const Record& record, ParseContext& context) {
  for (const std::string_view reason : row.reasons) {
    EventDetail detail = row.detail;
    detail.reasons.push_back(context.session.InternReason(ParseGuardFailure(reason)));
    context.Emit(record, detail);
  }
  for (uint64_t i = row.reasons.size(); i < std::min(row.count, kMaxRowCount); ++i) {
    context.Emit(record, row.detail);
  }
  row = {};
}

/// Reads "'forward' (gcn.py:36)             2  ___check_global_state()"; false if it is none.
bool ReadRow(const Record& record, std::string_view line, ParseContext& context,
             RecompileRow& row) {
  std::string_view text = Trim(line);
  if (!ConsumeFront(text, "'")) return false;
  const size_t quote = text.find("' (");
  if (quote == kNotFound) return false;
  std::string_view rest;
  const CodePlace place = SplitFileLine(text.substr(quote + 3), &rest);
  if (!ConsumeFront(rest, ")")) return false;
  rest = TrimLeft(rest);
  const auto count = context.ConsumeNumber<uint64_t>(record, rest);
  if (!count) return false;
  row.detail.kind = EventKind::kRecompile;
  row.detail.function = context.Intern(text.substr(0, quote));
  row.detail.file = context.Intern(place.file);
  row.detail.function_line = place.line;
  row.count = *count;
  if (!Trim(rest).empty()) row.reasons.push_back(Trim(rest));
  return true;
}

}  // namespace

void ParseProfilerReport(const Record& record, ParseContext& context) {
  Table table = Table::kNone;
  RecompileRow row;
  for (size_t i = 1; i < record.num_lines(); ++i) {
    const std::string_view line = record.line(i);
    const std::string_view text = Trim(line);
    if (text.starts_with("Graph Break Reason") && text.ends_with("Count")) {
      table = Table::kBreaks;
    } else if (text.starts_with("Function") && HasText(text, "Recompiles")) {
      table = Table::kRecompiles;
    } else if (text.empty() || text.starts_with("Set torch.")) {
      EmitRow(row, record, context);
      if (table == Table::kBreaks && text.empty()) table = Table::kNone;
    } else if (text.starts_with("---")) {
      continue;
    } else if (table == Table::kBreaks) {
      std::string_view reason = text;
      const auto count = TakeLastNumber(reason);
      EventDetail detail;
      detail.kind = EventKind::kGraphBreak;
      detail.type = context.Intern(reason);
      for (uint64_t n = 0; n < std::min(count.value_or(0), kMaxRowCount); ++n) {
        context.Emit(record, detail);
      }
    } else if (table == Table::kRecompiles) {
      RecompileRow next;
      if (ReadRow(record, line, context, next)) {
        EmitRow(row, record, context);
        row = std::move(next);
      } else if (row.count > 0 && row.reasons.size() < row.count) {
        row.reasons.push_back(text);
      }
    }
  }
  EmitRow(row, record, context);
}

}  // namespace shapewise
