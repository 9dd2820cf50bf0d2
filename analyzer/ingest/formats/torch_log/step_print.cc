#include "ingest/formats/torch_log/step_print.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ingest/date_time.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Prints of steps are short; what is longer holds something else.
constexpr size_t kMaxPrintBytes = 600;

// Where a time or the word "step" may stand: behind the names of a logger and
// of a level.
constexpr size_t kMaxHeadBytes = 120;

constexpr double kMaxSeconds = 86400;

constexpr std::string_view kStepWords[] = {"step", "iter", "iteration", "batch"};

// What stands before a duration of this step. "elapsed" and "total" are those
// of the run.
constexpr std::string_view kDurationWords[] = {
    "time",
    "dt",
    "duration",
    "took",
    "in",
    "step_time",
    "iter_time",
    "batch_time",
    "latency",
    "time_per_step",
    "steptime",
    "time/step",
    "time/iter",
    "elapsed_per_step",
    "elapsed time per iteration",
};

struct PrintedUnit {
  std::string_view text;
  double seconds;
};
// The longer ones first: "ms" begins like "m".
constexpr PrintedUnit kPrintedUnits[] = {
    {"milliseconds", 1e-3}, {"msec", 1e-3}, {"ms", 1e-3}, {"seconds", 1}, {"secs", 1}, {"sec", 1},
    {"us", 1e-6},           {"s", 1},
};

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool BeginsWithWord(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    if (Lower(text[i]) != word[i]) return false;
  }
  return true;
}

bool EndsWithWord(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  const size_t begin = text.size() - word.size();
  if (begin > 0 && (IsWordChar(text[begin - 1]) || text[begin - 1] == '/')) return false;
  return BeginsWithWord(text.substr(begin), word);
}

/// Whether `text` ends with a word that stands before the duration of a step.
bool IsDurationWord(std::string_view text) {
  return std::any_of(std::begin(kDurationWords), std::end(kDurationWords),
                     [&](std::string_view word) { return EndsWithWord(text, word); });
}

/// Takes "0.45", "4.1e-2" from the front of `text`; no sign.
std::optional<double> ConsumePrintedNumber(std::string_view& text) {
  if (text.empty() || !IsDigit(text[0])) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

/// Takes a unit from the front of `text` that no letter follows: "s" of "s/it",
/// not of "samples".
std::optional<double> ConsumeUnit(std::string_view& text) {
  for (const PrintedUnit& unit : kPrintedUnits) {
    if (!BeginsWithWord(text, unit.text)) continue;
    const std::string_view rest = text.substr(unit.text.size());
    if (!rest.empty() && IsWordChar(rest[0])) continue;
    text = rest;
    return unit.seconds;
  }
  return std::nullopt;
}

/// "4.10it/s", "1.23s/it", "153 ms/step" at the front of `text`: seconds a
/// step.
std::optional<double> ReadRate(std::string_view text) {
  const std::optional<double> number = ConsumePrintedNumber(text);
  if (!number) return std::nullopt;
  text = TrimLeft(text);
  const auto is_step = [](std::string_view rest) {
    for (const std::string_view word : {"it", "iter", "step", "batch"}) {
      if (BeginsWithWord(rest, word) &&
          (rest.size() == word.size() || !IsWordChar(rest[word.size()]))) {
        return true;
      }
    }
    return false;
  };
  for (const std::string_view steps_a_second : {"it/s", "step/s", "steps/s", "iter/s"}) {
    if (BeginsWithWord(text, steps_a_second) && *number > 0) return 1 / *number;
  }
  const std::optional<double> unit = ConsumeUnit(text);
  if (!unit || !ConsumeFront(text, "/") || !is_step(text)) return std::nullopt;
  return *number * *unit;
}

/// The bar of tqdm: "  12%|#2   | 12/100 [00:03<00:21,  4.10it/s, loss=2]". Its
/// rate is an average that follows the last steps.
std::optional<StepPrint> ReadBar(std::string_view line) {
  const size_t bracket = line.find(" [");
  if (bracket == std::string_view::npos || line.find('|') >= bracket) return std::nullopt;
  size_t begin = bracket;
  while (begin > 0 && (IsDigit(line[begin - 1]) || line[begin - 1] == '/')) --begin;
  std::string_view count = line.substr(begin, bracket - begin);
  const auto number = ConsumeUint<int64_t>(count);
  if (!number || !ConsumeFront(count, "/")) return std::nullopt;
  const std::string_view inside = line.substr(bracket + 2);
  const size_t close = inside.find(']');
  const size_t comma = inside.find(", ");
  if (close == std::string_view::npos || comma > close) return std::nullopt;
  const std::optional<double> seconds = ReadRate(TrimLeft(inside.substr(comma + 1, close)));
  if (!seconds) return std::nullopt;
  StepPrint print;
  print.number = *number;
  print.seconds = seconds;
  return print;
}

/// Where the text behind "step 12", "[Step: 12/100]", "iter=12" begins; npos if
/// there is none in the head of the line.
size_t FindStepNumber(std::string_view line, int64_t& number) {
  for (size_t at = 0; at < std::min(line.size(), kMaxHeadBytes); ++at) {
    if (at > 0 && IsWordChar(line[at - 1])) continue;
    for (const std::string_view word : kStepWords) {
      std::string_view rest = line.substr(at);
      if (!BeginsWithWord(rest, word)) continue;
      rest.remove_prefix(word.size());
      size_t separators = 0;
      while (separators < rest.size() && separators < 6 &&
             (IsBlankChar(rest[separators]) || rest[separators] == ':' || rest[separators] == '=' ||
              rest[separators] == '#' || rest[separators] == '[')) {
        ++separators;
      }
      if (separators == 0) continue;
      rest.remove_prefix(separators);
      const auto value = ConsumeUint<int64_t>(rest);
      if (!value) continue;
      // "step 0.5" and "step 12s" are no numbers of steps.
      if (!rest.empty() &&
          (IsWordChar(rest[0]) || (rest[0] == '.' && rest.size() > 1 && IsDigit(rest[1])))) {
        continue;
      }
      number = *value;
      return line.size() - rest.size();
    }
  }
  return std::string_view::npos;
}

/// Takes the unit of a name that has one from the end of `text`: "(ms)" of "elapsed time per
/// iteration (ms)", "_ms" of "step_ms".
std::optional<double> ConsumeUnitInName(std::string_view& text) {
  constexpr PrintedUnit kInBrackets[] = {{"(ms)", 1e-3}, {"(s)", 1}};
  for (const PrintedUnit& unit : kInBrackets) {
    if (!text.ends_with(unit.text)) continue;
    text = TrimRight(text.substr(0, text.size() - unit.text.size()));
    return unit.seconds;
  }
  constexpr PrintedUnit kSuffixes[] = {{"_ms", 1e-3}, {"_sec", 1}, {"_s", 1}, {"_us", 1e-6}};
  for (const PrintedUnit& unit : kSuffixes) {
    if (!text.ends_with(unit.text)) continue;
    const std::string_view stem = text.substr(0, text.size() - unit.text.size());
    const bool is_of_step = EndsWithWord(stem, "step") || EndsWithWord(stem, "iter");
    if (!is_of_step && !IsDurationWord(stem)) continue;
    text = is_of_step ? kDurationWords[0] : stem;
    return unit.seconds;
  }
  return std::nullopt;
}

/// The one duration in `text`: a rate, or a number with a unit behind a word
/// for durations. Sets `is_ambiguous` when there are two that differ.
std::optional<double> FindDuration(std::string_view text, bool& is_ambiguous) {
  std::optional<double> found;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!IsDigit(text[at])) continue;
    const bool is_inside = at > 0 && (IsWordChar(text[at - 1]) || text[at - 1] == '.');
    std::string_view rest = text.substr(at);
    std::optional<double> seconds;
    if (!is_inside) {
      seconds = ReadRate(rest);
      if (!seconds) {
        std::string_view before = text.substr(0, at);
        while (!before.empty() && (IsBlankChar(before.back()) || before.back() == ':' ||
                                   before.back() == '=' || before.back() == '(')) {
          before.remove_suffix(1);
        }
        const std::optional<double> unit_before = ConsumeUnitInName(before);
        const bool has_word = IsDurationWord(before);
        std::string_view tail = rest;
        const std::optional<double> number = ConsumePrintedNumber(tail);
        if (has_word && number) {
          tail = TrimLeft(tail);
          const std::optional<double> unit = unit_before ? unit_before : ConsumeUnit(tail);
          if (unit) seconds = *number * *unit;
        }
      }
    }
    if (seconds && *seconds >= 0 && *seconds < kMaxSeconds) {
      is_ambiguous |= found && std::abs(*found - *seconds) > 0.01 * *seconds;
      found = found ? found : seconds;
    }
    while (at + 1 < text.size() && (IsDigit(text[at + 1]) || text[at + 1] == '.')) ++at;
  }
  return found;
}

/// The time that a logger put into the head of the line.
void ReadLineTime(std::string_view line, StepPrint& print) {
  for (size_t at = 0; at < std::min(line.size(), kMaxHeadBytes); ++at) {
    if (!IsDigit(line[at]) || (at > 0 && IsDigit(line[at - 1]))) continue;
    std::string_view rest = line.substr(at);
    if (ConsumeDateTime(rest, print.time, print.clock)) return;
  }
}

}  // namespace

std::optional<StepPrint> ReadStepPrint(std::string_view line) {
  if (line.size() > kMaxPrintBytes) return std::nullopt;
  if (std::optional<StepPrint> bar = ReadBar(line)) return bar;
  StepPrint print;
  const size_t behind = FindStepNumber(line, print.number);
  if (behind == std::string_view::npos) return std::nullopt;
  bool is_ambiguous = false;
  print.seconds = FindDuration(line.substr(behind), is_ambiguous);
  if (is_ambiguous) return std::nullopt;
  ReadLineTime(line, print);
  if (!print.seconds && print.clock == Clock::kUnknown) return std::nullopt;
  return print;
}

}  // namespace shapewise
