#include "ingest/formats/torch_log/step_print.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "ingest/data_tables.h"
#include "ingest/date_time.h"
#include "ingest/file_rank.h"
#include "ingest/formats/torch_log/log_prefix.h"
#include "ingest/messages/wording.h"
#include "ingest/whole_lines.h"
#include "llvm/ADT/StringRef.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Step lines are short; longer ones contain something else.
constexpr size_t kMaxPrintBytes = 600;

// A time or the word "step" must start in this part: after the names of a logger and of a level.
constexpr size_t kMaxHeadBytes = 120;

constexpr double kMaxSeconds = 86400;

constexpr size_t kMaxRanks = 65536;

constexpr std::string_view kStepWords[] = {"step", "iter", "iteration", "batch"};

struct PrintedUnit {
  std::string_view text;
  double seconds;
};
// The longer ones first: "ms" begins like "m".
constexpr PrintedUnit kPrintedUnits[] = {
    {"milliseconds", 1e-3}, {"msec", 1e-3}, {"ms", 1e-3}, {"seconds", 1}, {"secs", 1}, {"sec", 1},
    {"us", 1e-6},           {"s", 1},
};

/// Whether `text` begins with `word`, in upper or lower case.
bool BeginsWithWord(std::string_view text, std::string_view word) {
  return llvm::StringRef(text.substr(0, word.size())).equals_insensitive(llvm::StringRef(word));
}

/// The same, with no letter after the word.
bool HasWordAtFront(std::string_view text, std::string_view word) {
  return BeginsWithWord(text, word) &&
         (text.size() == word.size() || !IsWordChar(text[word.size()]));
}

bool EndsWithWord(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  const size_t begin = text.size() - word.size();
  if (begin > 0 && (IsWordChar(text[begin - 1]) || text[begin - 1] == '/')) return false;
  return BeginsWithWord(text.substr(begin), word);
}

/// Whether `text` ends with a word that introduces the duration of a step.
bool IsDurationWord(std::string_view text) {
  static const std::vector<std::string_view> words =
      JsonTexts(DataTable("names"), "step_durations");
  return std::ranges::any_of(words, [&](auto word) { return EndsWithWord(text, word); });
}

/// Removes a unit from the front of `text` that is not followed by a letter: "s" in "s/it", not in
/// "samples".
std::optional<double> ConsumeUnit(std::string_view& text) {
  for (const PrintedUnit& unit : kPrintedUnits) {
    if (!HasWordAtFront(text, unit.text)) continue;
    text.remove_prefix(unit.text.size());
    return unit.seconds;
  }
  return std::nullopt;
}

/// "4.10it/s", "1.23s/it", "153 ms/step" at the front of `text`: seconds a step.
std::optional<double> ReadRate(std::string_view text) {
  const std::optional<double> number = ConsumeDecimal(text);
  if (!number) return std::nullopt;
  text = TrimLeft(text);
  for (const std::string_view steps_a_second : {"it/s", "step/s", "steps/s", "iter/s"}) {
    if (BeginsWithWord(text, steps_a_second) && *number > 0) return 1 / *number;
  }
  const std::optional<double> unit = ConsumeUnit(text);
  if (!unit || !ConsumeFront(text, "/")) return std::nullopt;
  for (const std::string_view word : {"it", "iter", "step", "batch"}) {
    if (HasWordAtFront(text, word)) return *number * *unit;
  }
  return std::nullopt;
}

/// A tqdm bar: "  12%|#2   | 12/100 [00:03<00:21,  4.10it/s, loss=2]". Its rate is an average over
/// the last steps.
std::optional<StepPrint> ReadBar(std::string_view line) {
  const size_t bracket = line.find(" [");
  if (bracket == kNotFound || line.find('|') >= bracket) return std::nullopt;
  size_t begin = bracket;
  while (begin > 0 && (IsDigit(line[begin - 1]) || line[begin - 1] == '/')) --begin;
  std::string_view count = line.substr(begin, bracket - begin);
  const auto number = ConsumeUint<int64_t>(count);
  const std::string_view inside = TextBetween(line, " [", "]");
  const size_t comma = inside.find(", ");
  if (!number || !count.starts_with('/') || comma == kNotFound) return std::nullopt;
  const std::optional<double> seconds = ReadRate(TrimLeft(inside.substr(comma + 1)));
  if (!seconds) return std::nullopt;
  return StepPrint{*number, seconds};
}

/// The position after "step 12", "[Step: 12/100]", "iter=12"; npos if not in the head of the line.
size_t FindStepNumber(std::string_view line, int64_t& number) {
  constexpr size_t kMaxSeparators = 6;
  for (size_t at = 0; at < std::min(line.size(), kMaxHeadBytes); ++at) {
    if (at > 0 && IsWordChar(line[at - 1])) continue;
    for (const std::string_view word : kStepWords) {
      if (!BeginsWithWord(line.substr(at), word)) continue;
      std::string_view rest = line.substr(at + word.size());
      const size_t separators = std::min(rest.find_first_not_of(" \t:=#["), rest.size());
      if (separators == 0 || separators > kMaxSeparators) continue;
      rest.remove_prefix(separators);
      const auto value = ConsumeUint<int64_t>(rest);
      // "step 0.5" and "step 12s" are not numbers of steps.
      const bool goes_on =
          !rest.empty() &&
          (IsWordChar(rest[0]) || (rest[0] == '.' && rest.size() > 1 && IsDigit(rest[1])));
      if (!value || goes_on) continue;
      number = *value;
      return line.size() - rest.size();
    }
  }
  return kNotFound;
}

/// Removes the unit of a name from the end of `text`: "(ms)" in "elapsed time per iteration (ms)",
/// "_ms" in "step_ms".
std::optional<double> ConsumeUnitInName(std::string_view& text) {
  constexpr PrintedUnit kInNames[] = {{"(ms)", 1e-3}, {"(s)", 1}, {"_ms", 1e-3},
                                      {"_sec", 1},    {"_s", 1},  {"_us", 1e-6}};
  for (const PrintedUnit& unit : kInNames) {
    if (!text.ends_with(unit.text)) continue;
    const std::string_view stem = TrimRight(text.substr(0, text.size() - unit.text.size()));
    const bool is_of_step = EndsWithWord(stem, "step") || EndsWithWord(stem, "iter");
    if (unit.text[0] == '_' && !is_of_step && !IsDurationWord(stem)) continue;
    text = unit.text[0] == '_' && is_of_step ? "time" : stem;
    return unit.seconds;
  }
  return std::nullopt;
}

/// A duration at the front of `rest`: a rate, or a number with a unit after a word for durations at
/// the end of `before`.
std::optional<double> ReadDuration(std::string_view before, std::string_view rest) {
  if (!before.empty() && (IsWordChar(before.back()) || before.back() == '.')) return std::nullopt;
  if (const std::optional<double> rate = ReadRate(rest)) return rate;
  before = before.substr(0, before.find_last_not_of(" \t:=(") + 1);
  const std::optional<double> unit_before = ConsumeUnitInName(before);
  const std::optional<double> number = ConsumeDecimal(rest);
  if (!IsDurationWord(before) || !number) return std::nullopt;
  rest = TrimLeft(rest);
  const std::optional<double> unit = unit_before ? unit_before : ConsumeUnit(rest);
  return unit ? std::optional(*number * *unit) : std::nullopt;
}

/// The only duration in `text`. Sets `is_ambiguous` if there are two different ones.
std::optional<double> FindDuration(std::string_view text, bool& is_ambiguous) {
  std::optional<double> found;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!IsDigit(text[at])) continue;
    const std::optional<double> seconds = ReadDuration(text.substr(0, at), text.substr(at));
    if (seconds && *seconds >= 0 && *seconds < kMaxSeconds) {
      is_ambiguous |= found && std::abs(*found - *seconds) > 0.01 * *seconds;
      found = found ? found : seconds;
    }
    while (at + 1 < text.size() && (IsDigit(text[at + 1]) || text[at + 1] == '.')) ++at;
  }
  return found;
}

/// The time that a logger wrote at the start of the line.
void ReadLineTime(std::string_view line, StepPrint& print) {
  for (size_t at = 0; at < std::min(line.size(), kMaxHeadBytes); ++at) {
    if (!IsDigit(line[at]) || (at > 0 && IsDigit(line[at - 1]))) continue;
    std::string_view rest = line.substr(at);
    if (ConsumeDateTime(rest, print.time, print.clock)) return;
  }
}

/// Whether `line` may report a step: a quick check that rejects most lines.
bool MayBeStep(std::string_view line) {
  constexpr std::string_view kParts[] = {"tep",  "TEP",  "iter", "Iter", "ITER",
                                         "atch", "ATCH", "it/s", "s/it"};
  return std::ranges::any_of(kParts, [&](auto part) { return HasText(line, part); });
}

class StepPrintReader final : public LogReader {
 public:
  StepPrintReader(std::unique_ptr<LogReader> torch, Session& session, uint32_t input)
      : torch_(std::move(torch)),
        session_(session),
        input_(input),
        file_rank_(RankInFileName(session.input(input).name)) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    torch_->OnLines(lines, first_line);
    ForEachLine(lines, first_line,
                [this](std::string_view line, uint64_t number) { ReadLine(line, number); });
  }

  /// A bar that overwrites its line a hundred thousand times makes a line of many megabytes.
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    const size_t dealt_with = torch_->OnPiece(piece, line, is_first, is_last);
    ReadLine(piece.substr(0, is_last ? piece.size() : dealt_with), line);
    return dealt_with;
  }

  void Finish() override { torch_->Finish(); }
  uint64_t torch_lines() const override { return torch_->torch_lines() + num_steps_; }

 private:
  void ReadLine(std::string_view line, uint64_t number) {
    if (!MayBeStep(line)) return;
    line = StripEscapes(line, unescaped_);
    while (!line.empty()) {
      const size_t carriage = std::min(line.find('\r'), line.size());
      ReadPart(line.substr(0, carriage), number);
      line.remove_prefix(std::min(carriage + 1, line.size()));
    }
  }

  void ReadPart(std::string_view text, uint64_t number) {
    const std::optional<StepPrint> print = ReadStepPrint(text);
    if (!print) return;
    const int32_t own_rank = ParseForeignPrefix(text).rank;
    const int32_t rank = own_rank != kNoRank ? own_rank : file_rank_;
    if (last_.size() >= kMaxRanks && !last_.contains(rank)) return;
    const StepPrint last = std::exchange(last_.try_emplace(rank, StepPrint{-1}).first->second,
                                         StepPrint{print->number, {}, print->clock, print->time});
    std::optional<double> seconds = print->seconds;
    // The time between two lines is the duration of a step if no step lies between them.
    if (!seconds && last.number >= 0 && print->number == last.number + 1 &&
        print->clock != Clock::kUnknown && print->clock == last.clock && print->time >= last.time) {
      seconds = print->time - last.time;
    }
    // A bar shows the same step again whenever it is drawn.
    if (!seconds || print->number == last.number) return;
    if (num_steps_ >= kMaxStepsOfInput) {
      session_.stats().Bump(Stat::spans_too_many, input_, number);
      return;
    }
    ++num_steps_;
    Span span;
    span.kind = SpanKind::kStep;
    span.clock = print->clock;
    span.input = input_;
    span.line = number;
    span.rank = rank;
    span.number = print->number;
    span.seconds = *seconds;
    if (print->clock != Clock::kUnknown) span.begin = print->time - *seconds;
    session_.AddSpan(span);
  }

  std::unique_ptr<LogReader> torch_;
  Session& session_;
  const uint32_t input_;
  const int32_t file_rank_;
  std::map<int32_t, StepPrint> last_;  // by rank: the one read last
  uint64_t num_steps_ = 0;
  std::string unescaped_;
};

}  // namespace

std::optional<StepPrint> ReadStepPrint(std::string_view line) {
  if (line.size() > kMaxPrintBytes) return std::nullopt;
  if (std::optional<StepPrint> bar = ReadBar(line)) return bar;
  StepPrint print;
  const size_t behind = FindStepNumber(line, print.number);
  if (behind == kNotFound) return std::nullopt;
  bool is_ambiguous = false;
  print.seconds = FindDuration(line.substr(behind), is_ambiguous);
  if (is_ambiguous) return std::nullopt;
  ReadLineTime(line, print);
  if (!print.seconds && print.clock == Clock::kUnknown) return std::nullopt;
  return print;
}

std::unique_ptr<LogReader> NewStepPrintReader(std::unique_ptr<LogReader> torch, Session& session,
                                              uint32_t input) {
  return std::make_unique<StepPrintReader>(std::move(torch), session, input);
}

}  // namespace shapewise
