// The parsers of messages: return the facts in one message.
//
// A parser is a pure function of its message. Whether another message contains the same fact, or a
// part of it, is decided in one place: ingest/reconcile.

#ifndef SHAPEWISE_INGEST_MESSAGES_PARSERS_H_
#define SHAPEWISE_INGEST_MESSAGES_PARSERS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/messages/record.h"
#include "ingest/messages/traceback_lines.h"
#include "model/event.h"
#include "model/repeats.h"
#include "support/stats.h"
#include "support/string_pool.h"
#include "support/text_scan.h"

namespace shapewise {

/// How a fact relates to the facts of other messages.
enum class FactRole : uint8_t {
  kRecord,     ///< the record of what happened
  kUnique,     ///< the same, and nothing else is printed about it
  kRaised,     ///< the text of an exception, which may be printed several times or repeat a record
  kWarning,    ///< graph_break: a warning; a record of the same break may follow
  kListing,    ///< graph_break: an entry of a report about breaks that may have been logged before
  kAnnounced,  ///< graph_break, compile_error: printed before the record or exception of a failure
  kPart,  ///< recompile_limit, xla_compile, compile_error: a part of a fact that another message
          ///< begins
};

/// One fact in a message.
struct ParsedFact {
  EventDetail detail;           ///< without its reasons
  std::vector<Reason> reasons;  ///< in printed order
  FactRole role = FactRole::kRecord;
  ChangingTexts texts;            ///< views into the message
  std::vector<CodePlace> frames;  ///< graph_break: the user's stack, outermost first; views as well
};

/// The contents of one message.
struct ParsedMessage {
  /// A wording that only the releases `from` to `until` print, as 100 * major + minor; 0: any.
  struct ReleaseMark {
    std::string_view what;
    int32_t from = 0;
    int32_t until = 0;
  };

  explicit ParsedMessage(StringPool& pool) : strings(pool) {}

  /// Appends a fact; the reference is valid until the next one is appended.
  ParsedFact& Add(EventFact fact, FactRole role = FactRole::kRecord) {
    ParsedFact& added = facts.emplace_back();
    added.detail.fact = std::move(fact);
    added.role = role;
    return added;
  }

  StrId Intern(std::string_view text) { return strings.Intern(text); }

  /// Removes the number at the front of `text` and returns it; absent without digits. A number that
  /// does not fit into a `Number` stays in `text` and counts as damage.
  template <typename Number>
  std::optional<Number> ConsumeNumber(std::string_view& text) {
    const std::optional<Number> number = ConsumeUint<Number>(text);
    if (!number && !text.empty() && IsDigit(text[0])) damage.push_back(Stat::number_too_large);
    return number;
  }

  /// The number after `word` and blanks; absent if `word` is not in `text`.
  std::optional<int64_t> NumberAfter(std::string_view text, std::string_view word) {
    const size_t at = FindText(text, word);
    if (at == kNotFound) return std::nullopt;
    text = TrimLeft(text.substr(at + word.size()));
    return ConsumeNumber<int64_t>(text);
  }

  /// Sets the place where the user's code is named.
  void SetUserPlace(const CodePlace& place, EventDetail& detail) {
    detail.user_file = Intern(place.file);
    detail.user_line = place.line;
    detail.user_function = Intern(place.function);
  }

  /// Sets the compiled frame from "f (/w/x.py line 8)", "f /w/x.py line 8" or "f /w/x.py 8". Paths
  /// may contain blanks; of names only "<resume in f>" does.
  void SetFrame(std::string_view text, EventDetail& detail);

  StringPool& strings;
  std::vector<ParsedFact> facts;
  std::vector<ReleaseMark> marks;
  std::vector<Stat> damage;
  bool is_unknown = false;   ///< the message is from torch.compile and could not be parsed
  bool is_doubtful = false;  ///< it is only if anything else in the input is
};

/// Parses a message of one family; each function documents the messages that it reads.
using ParseFunction = void(const Record& record, ParsedMessage& parsed);
using MessageParser = ParseFunction*;

/// Parses a complete message of any kind.
ParsedMessage ParseMessage(const Record& record, StringPool& strings);

ParseFunction ParseRecompile, ParseLimit, ParseGraphBreak, ParseItemWarning, ParseBreakBlock,
    ParseBreakTail, ParseBareUnsupported, ParseProfilerReport, ParseOldExplanation,
    ParseBreakReason, ParseNotebookHead, ParseCompilerOutput, ParseUserStack, ParseException,
    ParseConstraints, ParseShapeError, ParseWontConvert, ParseSkippedFrame, ParseCudagraph,
    ParseAutotune, ParsePerfHint, ParseWarning, ParseIgnoredMode, ParseTorchscript,
    ParseXlaProfiler, ParseXlaFallback, ParseXlaAnalysis, ParseXlaMetric;

/// Adds the reasons of a recompile to `fact`, in printed order: `bullets` are their lines. If any
/// of them names its cache entry (2.5 and later), one without continues the previous one; otherwise
/// every bullet is a reason (2.2 to 2.4).
void AddRecompileReasons(const std::vector<std::string_view>& bullets, ParsedMessage& parsed,
                         ParsedFact& fact);

/// The front of a text that becomes the message of many events, each of which prints a copy of it.
inline std::string_view SharedMessage(std::string_view text) { return FrontOf(text, 1024); }

/// The frames in the lines [begin, end) of `record`.
std::vector<CodePlace> FramesIn(const Record& record, size_t begin, size_t end = SIZE_MAX);

/// The innermost of them; empty if no frame is printed.
CodePlace InnermostFrame(const Record& record, size_t begin, size_t end = SIZE_MAX);

/// Reads the time at the start of `text`, such as "06m12s500ms000.000us", in seconds. Absent
/// without one, or if it is truncated before its microseconds.
///
/// The printer subtracts the whole part of each unit, but prints it rounded: 1.6 s is
/// "02s600ms000.000us". So a field is one too large if the rest is at least half a unit. If the
/// rest is exactly half, the last digit is ambiguous, and the smaller value is returned.
///
/// Source: torch_xla/csrc/runtime/metrics.cc, MetricFnTime.
std::optional<double> ParseXlaTime(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_PARSERS_H_
