// Sizes that inference servers log while they run: requests of decode steps, tokens of prefill
// steps, tokens of steps by CUDA graph.

#include <algorithm>
#include <array>
#include <string>

#include "ingest/date_time.h"
#include "ingest/sizes/size_rows.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace shapewise {
namespace {

/// The values of `--column`, in order of preference.
enum class Column : uint8_t { kDecode, kPrefill, kTokens };
constexpr std::array<std::string_view, 3> kNames = {"decode", "prefill", "tokens"};
constexpr std::array<std::string_view, 3> kMeanings = {
    "requests of a decode step", "tokens of a prefill step", "tokens of a step, before padding"};

/// The number after `words` in `line`.
std::optional<uint64_t> NumberAfter(std::string_view line, std::string_view words) {
  const size_t at = FindText(line, words);
  if (at == kNotFound) return std::nullopt;
  std::string_view rest = TrimLeft(line.substr(at + words.size()));
  return ConsumeUint<uint64_t>(rest);
}

class ServerLogSizes final : public SizeFormReader {
 public:
  explicit ServerLogSizes(SizeRows& rows) : SizeFormReader(rows) {
    rows_.totals.form = SizeForm::kServerLog;
    const std::vector<std::string>& wanted = rows_.query.columns;
    if (wanted.size() > 1) rows_.Fail("a server's log contains one size per line");
    if (!wanted.empty()) {
      const auto* const found = std::ranges::find(kNames, wanted[0]);
      if (found == kNames.end()) {
        rows_.Fail("there is no column '" + wanted[0] + "' in a server's log: it has " +
                   QuotedNames(std::vector<std::string>(kNames.begin(), kNames.end())));
        return;
      }
      column_ = static_cast<Column>(found - kNames.begin());
    }
    const auto index = static_cast<size_t>(column_);
    rows_.totals.columns = {std::string(kNames[index])};
    rows_.totals.note = std::string(kMeanings[index]) + ", as sampled by the server's log";
    rows_.totals.is_ordered = column_ != Column::kTokens;
  }

  void Finish() override {
    if (rows_.totals.lines.records > 0) return;
    std::string seen;
    for (size_t i = 0; i < kNames.size(); ++i) {
      if (seen_[i]) seen += (seen.empty() ? "" : " or ") + ("--column " + std::string(kNames[i]));
    }
    rows_.Fail("this server log has no " + std::string(kMeanings[static_cast<size_t>(column_)]) +
               (seen.empty() ? "" : "; try " + seen));
  }

 private:
  // Lines with sizes are short.
  size_t OnPiece(std::string_view piece, uint64_t, bool, bool) override { return piece.size(); }

  void OnLine(std::string_view line, uint64_t number) override {
    // vLLM, every 10 s: "Engine 000: ... Running: 12 reqs, Waiting: 0 reqs".
    if (const auto running = NumberAfter(line, "Running: ");
        running && HasText(line, " reqs, Waiting: ")) {
      return Take(Column::kDecode, *running, 1, number);
    }
    // SGLang: "Decode batch, #running-req: 12, ..." and "Prefill batch, ..., #new-token: 9".
    if (HasText(line, "Decode batch")) {
      if (const auto size = NumberAfter(line, "#running-req:")) {
        Take(Column::kDecode, *size, 1, number);
      }
    } else if (HasText(line, "Prefill batch")) {
      if (const auto size = NumberAfter(line, "#new-token:")) {
        Take(Column::kPrefill, *size, 1, number);
      }
    } else {
      OnTableRow(line, number);
    }
  }

  /// A row of vLLM's table "Unpadded Tokens, Padded Tokens, Num Paddings, Runtime Mode, Count".
  void OnTableRow(std::string_view line, uint64_t number) {
    const size_t bar = FindText(line, "|");
    if (bar == kNotFound) return;
    line.remove_prefix(bar);
    if (HasText(line, "| Unpadded Tokens |")) {
      is_in_table_ = true;
      return;
    }
    if (!is_in_table_) return;
    llvm::SmallVector<llvm::StringRef, 8> cells;
    llvm::StringRef row = llvm::StringRef(line).drop_front();
    row.consume_back("|");
    row.split(cells, '|', /*MaxSplit=*/5);
    if (cells.size() < 5 || TrimLeft(cells[0]).starts_with('-')) return;
    uint64_t size = 0;
    uint64_t calls = 0;
    const bool is_row = ParseWholeNumber(cells[0], uint64_t{kMaxSize}, size).empty() &&
                        ParseWholeNumber(cells[4], SizeHistory::kMaxCalls, calls).empty();
    if (!is_row) return rows_.NoteDamage(number, "tokens", "or count of this row is no number");
    Take(Column::kTokens, size, calls, number);
  }

  /// An idle server logs 0.
  void Take(Column column, uint64_t size, uint64_t calls, uint64_t line) {
    if (size == 0 || calls == 0) return;
    seen_[static_cast<size_t>(column)] = true;
    if (column != column_ || !rows_.error.empty()) return;
    if (size > uint64_t{kMaxSize}) {
      return rows_.NoteDamage(line, kNames[static_cast<size_t>(column)], "is too large");
    }
    rows_.Take({static_cast<int64_t>(size), 1, 1}, calls, line);
  }

  Column column_ = Column::kDecode;
  std::array<bool, kNames.size()> seen_{};
  bool is_in_table_ = false;
};

/// "07-04 12:36:06" or "2025-07-04 12:36:06" at the front of `text`, without the milliseconds of
/// torch logs.
bool BeginsWithTime(std::string_view text) {
  LogTime time;
  return (ConsumeMonthTime(text, time) || ConsumeLocalTime(text, time)) &&
         (text.starts_with(' ') || text.starts_with(']')) && time.micros % 1'000'000 == 0;
}

}  // namespace

bool IsServerLogLine(std::string_view line) {
  line = Trim(line);
  if (HasText(line, "#running-req") || HasText(line, " reqs, Waiting: ")) return true;
  // vLLM: "(EngineCore_0 pid=7) INFO 07-04 12:36:06 [core.py:58] ...".
  if (line.starts_with('(') && HasText(line, " pid=")) {
    line = TrimLeft(line.substr(std::min(FindText(line, ")") + 1, line.size())));
  }
  for (const std::string_view level : {"INFO ", "WARNING ", "ERROR ", "DEBUG "}) {
    if (ConsumeFront(line, level)) return BeginsWithTime(line);
  }
  // SGLang: "[2025-07-04 12:36:06 TP0] ...".
  return ConsumeFront(line, "[") && BeginsWithTime(line);
}

std::unique_ptr<SizeFormReader> NewServerLogSizes(SizeRows& rows) {
  return std::make_unique<ServerLogSizes>(rows);
}

}  // namespace shapewise
