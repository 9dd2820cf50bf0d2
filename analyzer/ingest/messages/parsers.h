// The parsers behind the records: text in, events out.

#ifndef SHAPEWISE_INGEST_MESSAGES_PARSERS_H_
#define SHAPEWISE_INGEST_MESSAGES_PARSERS_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/messages/frame_line.h"
#include "ingest/messages/record.h"
#include "shapewise/model/compile_id.h"
#include "shapewise/model/session.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {

/// What the parsers of one input remember of what was told before.
struct ParseMemory {
  /// The last graph break of each rank, for the record that tells it again more fully.
  struct LastBreak {
    size_t event = 0;
    std::string compile_id;  ///< without the attempt
    std::string file;
    uint32_t line = 0;
    bool is_warning = false;  ///< told by a warning; the fuller record may follow
  };
  std::map<int32_t, LastBreak> last_break;

  /// Exceptions told before, by rank, class, message and place: a traceback printed again by the
  /// caller, by the test runner or in a summary adds nothing.
  std::set<std::tuple<int32_t, std::string, std::string>> exceptions;

  /// Places at which a graph break was told, by rank: a later report of explain() repeats them.
  std::set<std::tuple<int32_t, std::string, uint32_t>> break_places;

  /// Frames in the stacks of graph breaks: what Dynamo inlined a break into breaks there, too.
  struct BreakPlace {
    std::string file;
    uint32_t line = 0;
    std::string function;
  };
  using BreakFrame = std::tuple<int32_t, std::string, uint32_t, std::string>;
  /// By rank, function without the prefix of resume functions, line and file; the first break of
  /// each.
  std::map<BreakFrame, BreakPlace> break_frames;

  /// What differs between the printed guards of an entry and of the one before, as reasons: by rank
  /// and compile id without its attempt.
  std::map<std::pair<int32_t, std::string>, std::vector<ReasonId>> changed_guards;

  /// Constraint violations told by a record with an id, by rank, source and dim, that no exception
  /// has repeated yet.
  std::map<std::tuple<int32_t, std::string, int32_t>, uint32_t> unrepeated_violations;

  /// Recompile records, by rank, function and reasons, that no exception has repeated yet.
  std::map<std::tuple<int32_t, uint32_t>, uint32_t> unrepeated_recompiles;

  /// Lines "Unsupported: ..." without the rest of a graph break: other programs print such, too.
  struct DoubtfulLines {
    uint64_t count = 0;
    uint64_t first_line = 0;
    std::string first;  ///< its text: at most kMaxShownLine bytes
  };
  DoubtfulLines doubtful_lines;

  /// The compiled function of each frame, by rank and the frame's number: from records that name
  /// it.
  struct NamedFrame {
    StrId function{};
    StrId file{};
    uint32_t line = 0;
    bool is_ambiguous = false;  ///< torch._dynamo.reset() gave the number to another function
  };
  std::map<std::pair<int32_t, std::string>, NamedFrame> named_frames;
  /// Events without a function, by the same.
  std::vector<std::pair<size_t, std::pair<int32_t, std::string>>> nameless;

  /// A limit that was reported without its function or its reason: what was torn off may follow.
  struct OpenLimit {
    size_t event = 0;
    bool has_head = false;
  };
  /// By rank and compile id.
  std::map<std::pair<int32_t, std::string>, OpenLimit> open_limits;

  /// The last PyTorch/XLA compilation of each rank, whose sizes a block of its own tells next.
  std::map<int32_t, size_t> last_xla_compile;
};

/// What the parsers of one input share: where events go, and what was told before.
struct ParseContext : ParseMemory {
  explicit ParseContext(Session& into) : session(into) {}
  ParseContext(Session& into, const ParseMemory& memory) : ParseMemory(memory), session(into) {}

  Session& session;

  StrId Intern(std::string_view text) { return session.strings().Intern(text); }

  /// Adds an event with `detail` and `texts` where `record` stands, and returns its number for
  /// Session::AmendDetail.
  size_t Emit(const Record& record, const EventDetail& detail, const ChangingTexts& texts = {});

  /// Counts the first line of `record` as one of torch.compile that was not understood.
  void CountUnknown(const Record& record);

  /// Keeps the first line of `record` for CountDoubtfulLines.
  void AddDoubtful(const Record& record);

  /// Counts the doubtful lines of `input` as torch.compile's, once that is where they are from.
  void CountDoubtfulLines(uint32_t input) const;

  /// Notes which function `record` is about, or that its event has none.
  void NoteFrame(const Record& record, const EventDetail& detail, size_t event);

  /// Gives events without a function the one that other records name for their frame.
  void NameFrames();

  /// Notes that `record` bears a mark of some releases only, `from` to `until` as 100 * major +
  /// minor.
  void NoteMark(const Record& record, std::string_view what, int32_t from, int32_t until);

  /// Drops the number at the front of `text` and returns it; absent without digits. One that does
  /// not fit into a `Number` is left there and counts as damage of `record`.
  template <typename Number>
  std::optional<Number> ConsumeNumber(const Record& record, std::string_view& text) {
    const std::optional<Number> number = ConsumeUint<Number>(text);
    if (!number && !text.empty() && IsDigit(text[0])) {
      session.stats().Bump(Stat::number_too_large, record.origin.input, record.origin.line);
    }
    return number;
  }

  /// Sets the place where the user's code is named.
  void SetUserPlace(const CodePlace& place, EventDetail& detail);
};

/// Parses a complete record of any kind.
void ParseRecord(const Record& record, ParseContext& context);

// One parser a family of records; each documents the messages that it reads.
void ParseRecompile(const Record& record, ParseContext& context);
void ParseLimit(const Record& record, ParseContext& context);
void ParseGraphBreak(const Record& record, ParseContext& context);
void ParseItemWarning(const Record& record, ParseContext& context);
void ParseBreakBlock(const Record& record, ParseContext& context);
void ParseBreakTail(const Record& record, ParseContext& context);
void ParseBareUnsupported(const Record& record, ParseContext& context);
void ParseProfilerReport(const Record& record, ParseContext& context);
void ParseOldExplanation(const Record& record, ParseContext& context);
void ParseBreakReason(const Record& record, ParseContext& context);
void ParseException(const Record& record, ParseContext& context);
void ParseConstraints(const Record& record, ParseContext& context);
void ParseWontConvert(const Record& record, ParseContext& context);
void ParseSkippedFrame(const Record& record, ParseContext& context);
void ParseCudagraph(const Record& record, ParseContext& context);
void ParsePerfHint(const Record& record, ParseContext& context);
void ParseWarning(const Record& record, ParseContext& context);
void ParseIgnoredMode(const Record& record, ParseContext& context);
void ParseTorchscript(const Record& record, ParseContext& context);
void ParseXla(const Record& record, ParseContext& context);
void ParseXlaFallback(const Record& record, ParseContext& context);

/// Adds the reasons of a recompile to `detail`, in printed order: `bullets` are their lines. Where
/// any of them names its cache entry (2.5 and later), one without goes on with the one before it;
/// else every bullet is a reason (2.2 to 2.4).
void AddRecompileReasons(const std::vector<std::string_view>& bullets, ParseContext& context,
                         const Record& record, EventDetail& detail);

/// The front of a text that becomes the message of many events: each prints a copy of it.
inline std::string_view SharedMessage(std::string_view text) { return FrontOf(text, 1024); }

/// The innermost frame of the lines [begin, end) of `record`; false if none is printed.
bool InnermostFrame(const Record& record, size_t begin, size_t end, CodePlace& place);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_PARSERS_H_
