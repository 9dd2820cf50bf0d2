// The text of a graph break, collected from its lines, and that of an operation that failed on fake
// tensors, which have the sizes of the real ones and no data.

#ifndef SHAPEWISE_INGEST_MESSAGES_BREAK_TEXT_H_
#define SHAPEWISE_INGEST_MESSAGES_BREAK_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/messages/parsers.h"
#include "ingest/messages/record.h"
#include "ingest/messages/traceback_lines.h"
#include "model/event.h"

namespace shapewise {

/// "raised exception ValueError([ConstantVariable(str: 'no such mode')])", the context of an
/// exception that Dynamo observed, or "raised exception ValueError('no such mode')" (since 2.10) ->
/// "ValueError: no such mode". Other texts are returned as they are.
std::string ObservedExceptionText(std::string_view context);

/// Whether `reason` only says what was being traced; the type of the break is below it.
bool IsOnlyWhatWasTraced(std::string_view reason);

/// `explanation` without what torch says of all such functions: which kinds there are, with
/// examples.
std::string_view WithoutExamples(std::string_view explanation);

/// The type of the break whose reason begins on line `at` of `record`: the reason itself or, after
/// a wrapper, the first line of the block below.
std::string_view TypeAt(const Record& record, size_t at, std::string_view reason);

/// The type of the break that torch explains with `explanation`; empty: unknown. People cut the
/// line above it, and labels of servers hide it.
std::string_view TypeOfExplanation(std::string_view explanation);

/// The line of code at the innermost of the user's frames; empty: not printed.
std::string_view UserCode(const Record& record);

/// First line of the frames that are the user's: those below "User code traceback:" and similar.
size_t UserFramesBegin(const Record& record, size_t fallback);

/// One past the last of them.
size_t UserFramesEnd(const Record& record, size_t begin);

/// The user's frames in `record`; without a heading line, those below line `fallback`.
std::vector<CodePlace> UserFrames(const Record& record, size_t fallback);

/// The innermost line of the user's own code in a stack.
struct CallingLine {
  std::string text;             ///< "/srv/app/train.py:13: y = model(x)"; empty: there is none
  bool calls_compiled = false;  ///< it calls the compiled function
};

/// That of the frames in the lines [begin, end) of `record`.
CallingLine FindCallingLine(const Record& record, size_t begin, size_t end);

/// The text of a break, collected over its lines.
struct BreakText {
  BreakText() = default;
  explicit BreakText(const Record& record, size_t begin = 0);

  /// Uses the innermost of `frames` as the place. Returns whether there is one.
  bool SetPlace(const std::vector<CodePlace>& frames) {
    if (!frames.empty()) place = frames.back();
    return !frames.empty();
  }

  std::string_view type;
  std::string_view context;
  std::string explanation;
  std::string gb;
  CodePlace place;           ///< from the header, else the innermost frame
  std::string_view skipped;  ///< "f (/w/x.py line 8)": the frame that runs eagerly as a whole
  bool is_repeat = false;    ///< the head says that details are suppressed
  bool is_fatal = false;     ///< raised as an error
  bool skips_frame = false;
  bool names_loop = false;
  bool has_block = false;      ///< it has parts that only occur in the text of a break
  bool has_user_code = false;  ///< "from user code:"
};

/// Adds the break that `text` describes.
EventDetail& AddBreak(const Record& record, const BreakText& text, FactRole role,
                      ParsedMessage& parsed);

/// The message of a TorchRuntimeError, which loggers print without its class.
inline constexpr std::string_view kFailedFakeRun =
    "Dynamo failed to run FX node with fake tensors:";
inline constexpr std::string_view kOldFailedFakeRun = "Failed running call_";  ///< until 2.5

/// What such a message says in short: "mul of sizes (1, 27) and (64,): The size of tensor a (27)
/// must match ...". Parts that `message`, which may be cut, lacks are left out; people who wrap it
/// put blanks at its brackets. Empty: it is no such message, or shows neither sizes nor the error.
/// (torch/_dynamo/utils.py, get_fake_value)
std::string FakeRunText(std::string_view message);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_BREAK_TEXT_H_
