#include "ingest/formats/torch_log/wrapped_line.h"

#include <algorithm>
#include <utility>

#include "ingest/formats/torch_log/log_prefix.h"
#include "ingest/messages/message_rows.h"
#include "ingest/messages/traceback_lines.h"
#include "ingest/messages/wording.h"
#include "model/guard.h"
#include "model/python_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// "/w/train.py:12" at the end.
bool EndsInPlace(std::string_view text) {
  size_t digits = text.size();
  while (digits > 0 && IsDigit(text[digits - 1])) --digits;
  return digits < text.size() && digits > 0 && text[digits - 1] == ':';
}

/// The operators of guards, which have a blank on both sides.
constexpr std::string_view kOperators = "== |!= |<= |>= |< |> ";

bool HasOperator(std::string_view text) {
  for (size_t blank = text.find(' '); blank != kNotFound; blank = text.find(' ', blank + 1)) {
    if (BeginsWithAny(text.substr(blank + 1), kOperators)) return true;
  }
  return false;
}

bool EndsWithOperator(std::string_view text) {
  return BeginsWithAny(text.substr(text.rfind(' ') + 1), kOperators);
}

/// Removes the label before the reason of a recompile.
bool ConsumeReasonLabel(std::string_view& text) {
  return ConsumeFront(text, "last reason:") || ConsumeFront(text, "reasons:") ||
         ConsumeFront(text, "- ");
}

/// The characters of a cache entry's id.
bool IsEntryChar(char c) { return IsDigit(c) || c == '/' || c == '_' || c == '!' || c == ':'; }

/// Sentences among the reasons of recompiles: their first words and their last.
constexpr std::pair<std::string_view, std::string_view> kSentences[] = {
    {"Guard failed on a parameter", "on parameters."}, {"BACKEND_MATCH failure", "https://"},
    {"Cache line invalidated", "deallocated"},         {"Duplicate tensor found", "not expected!"},
    {"Unexpected recompilation", "https://"},
};

/// The same for the reason of a recompile, a guard.
bool ReasonLacksItsEnd(std::string_view text) {
  text = Trim(text);
  if (std::ranges::all_of(text, IsEntryChar)) return true;
  const size_t id_end = text.find(": ");
  const bool has_id = std::ranges::all_of(text.substr(0, id_end), IsEntryChar);
  const std::string_view guard = has_id ? Trim(text.substr(id_end + 2)) : text;
  if (IsIdentifier(guard)) return true;
  const size_t comment = FindText(text, "  # ");
  if (comment != kNotFound) {
    // A hint in brackets follows the place in code.
    const size_t place = FindText(text, ".py:", comment);
    const bool has_hint = place != kNotFound && HasText(text.substr(place), " (");
    return text.ends_with(" in") || text.ends_with("#") || (has_hint && !text.ends_with(')'));
  }
  if (HasText(text, "tensor '") && !HasText(text, ", actual ") &&
      !HasText(text, "requires_grad=")) {
    return true;
  }
  // "expected type of 'x' to be a tensor type, ' but found <class 'int'>": one quote too many.
  if (HasText(text, "expected type of '")) return !text.ends_with('>');
  // "___check_obj_id(net, 1402), type=<class 'app.Net'>"
  if (const size_t type = text.rfind("), "); type != kNotFound && HasText(text, "___check_")) {
    const std::string_view words = text.substr(type + 3);
    if (words.starts_with("type=<")) return !words.ends_with('>');
    if (std::string_view("type=").starts_with(words)) return true;
  }
  for (const std::string_view end : {"=", "<", ">", "%", "+", "*", ",", " and", " or", " not",
                                     " in", " is", " actual", " expected", "mismatch at"}) {
    if (text.ends_with(end)) return true;
  }
  for (const auto& [front, end] : kSentences) {
    if (front.starts_with(guard) || (HasText(text, front) && !HasText(text, end))) return true;
  }
  return HasOpenBracket(text);
}

/// Whether `text` contains a place in code: "# mp/app/x.py:8 in f", "# <ipython-input-6-a1>:8 in
/// f".
bool HasPlace(std::string_view text) {
  const size_t file = std::min(FindText(text, ".py:"), FindText(text, ">:"));
  return file != kNotFound && HasText(text.substr(file), " in ");
}

constexpr int kKnownClass = 4;

/// Comes before the names in the first line of a constraint violation.
constexpr std::string_view kViolations = "Constraints violated";

/// How many fields of a reason are understood in `line`; 0 if it is not a reason.
int ReasonFields(std::string_view line) {
  line = Trim(line);
  if (!ConsumeReasonLabel(line)) return 0;
  const GuardFailure guard = ParseGuardFailure(Trim(line));
  return (guard.guard_class != GuardClass::kOther ? kKnownClass : 0) + (guard.dim >= 0 ? 1 : 0) +
         (guard.expected.empty() ? 0 : 1) + (guard.actual.empty() ? 0 : 1) +
         (guard.user_line > 0 ? 1 : 0) + (guard.user_function.empty() ? 0 : 1) +
         (guard.hint.empty() ? 0 : 2);
}

}  // namespace

void WrapWidths::NoteLine(size_t width) {
  if (width > widest_) num_widest_ = 0;
  widest_ = std::max(width, widest_);
  if (width == widest_) ++num_widest_;
}

void WrapWidths::NoteWrap(size_t width, WrapPlace place) {
  splits_words_ |= place == WrapPlace::kInWord;
  if (place == WrapPlace::kAtBlank) {
    narrowest_ = std::min(narrowest_, width);
  } else if (width > kMaxFilled || (place == WrapPlace::kInWord && width >= kMinWrapWidth)) {
    wrapped_at_ = width;
  }
}

bool WrapWidths::IsFullBefore(size_t width, std::string_view tail) const {
  tail = TrimLeft(tail);
  const size_t word = std::min(tail.find(' '), tail.size());
  return WrapsAtBlanks() && width >= kMinWrapWidth && width <= widest_ &&
         width + 1 + word > widest_;
}

WrapPlace WrapWidths::FindPlace(size_t width, std::string_view line, std::string_view tail,
                                bool is_indented) const {
  const WrapPlace place = FindWrapPlace(line, tail);
  if (place != WrapPlace::kUnknown) return place;
  // Lines that are wrapped in words have one width.
  const bool is_narrow = !IsWidest(width) && !IsFull(width);
  return IsAtBlank(width, line, tail) || (is_indented && is_narrow) ? WrapPlace::kAtBlank : place;
}

bool WrapWidths::IsAtBlank(size_t width, std::string_view line, std::string_view tail) const {
  if (WrapsAtBlanks()) return true;
  const bool is_terminals = width >= kMinWrapWidth && (IsFull(width) || width > kMaxFilled ||
                                                       (width == widest_ && num_widest_ > 1));
  constexpr std::string_view kInsideNames = "/\\_.[('\"";
  return !is_terminals && (line.empty() || tail.empty() ||
                           (kInsideNames.find(line.back()) == kNotFound &&
                            std::string_view("/\\_.[]()'\",:").find(tail.front()) == kNotFound));
}

bool EndsWithPage(std::string_view line) {
  return HasText(line, "please visit: http") && TrimRight(line).ends_with(".html");
}

bool LacksItsEnd(std::string_view line) {
  std::string_view text = Trim(line);
  if (text == "File" || text.starts_with("File\"")) return true;
  if (text.starts_with("File \"")) {
    const auto place = ParseFrameLine(text);
    return !place || place->line == 0 || text.ends_with(", in");
  }
  if (text == "-" || text.ends_with("please visit:")) return true;
  // A line of code in a stack: Python prints only the first line of a statement.
  if (text.starts_with("-     ")) return false;
  if (HasText(text, "please visit: http")) return !EndsWithPage(text);
  if (ConsumeFront(text, "torch._dynamo hit config.")) {
    while (!text.empty() && IsWordChar(text[0])) text.remove_prefix(1);
    text = TrimLeft(text);
    return text.starts_with('(') ? !HasText(text, ")") : !HasText(text, "function: ");
  }
  if (ConsumeFront(text, "function:")) {
    // Without quotes it is written by hand and may lack the place.
    const bool is_torchs = Trim(text).empty() || Trim(text)[0] == '\'';
    return (is_torchs && !HasText(text, ")")) || HasOpenBracket(text);
  }
  if (text.starts_with("Recompiling function")) {
    return (!EndsInPlace(text) || !HasText(text, " in ")) && !HasText(text, "guard failure");
  }
  if (text.starts_with("('Recompiling function")) return HasOpenBracket(text);
  if (text.starts_with("WON'T CONVERT")) return !IsDigit(text.back());
  if (text.starts_with("Graph break in user code at"))
    return !EndsInPlace(text) && !HasText(text, "Reason: ");
  if (ConsumeFront(text, "Graph Break Reason: Encountered graph break ")) {
    // "when attempting to trace CALL: a function call, e.g. f(x, y):", or only "... CALL_KW"
    const size_t trace = FindText(text, "to trace ");
    const std::string_view traced = trace == kNotFound ? "" : text.substr(trace + 9);
    if (traced.empty()) return !text.ends_with(':');
    return HasText(traced, ":") && (!traced.ends_with(':') || !HasText(traced, " "));
  }
  if (text.starts_with("Graph break:")) {
    return text.ends_with(" from user code") || text.ends_with(" from user code at");
  }
  if (text.starts_with("To log all recompilation")) return !HasText(text, "recompiles");
  if (text.starts_with("To diagnose recompilation")) return !HasText(text, "http");
  if (const size_t header = FindText(text, kViolations); header != kNotFound) {
    const std::string_view names = text.substr(header + kViolations.size());
    return names.empty() || std::ranges::count(names, '(') > std::ranges::count(names, ')');
  }
  const size_t violation = FindText(text, "ConstraintViolationError: ");
  if (BeginsWithAny(violation == kNotFound ? text : text.substr(violation + 26),
                    "- You marked|- Not all values of|You marked|Not all values of")) {
    // "the generated guard 8 <= L['x'].size()[1] and L['x'].size()[1] <= 64"
    const bool ends_range =
        IsDigit(text.back()) &&
        FindText(text, " <= ", std::min(text.size(), FindText(text, "generated guard "))) !=
            kNotFound;
    return !text.ends_with('.') && !text.ends_with(')') && !ends_range;
  }
  if (text.starts_with("skipping cudagraph")) return HasOpenBracket(text);
  if (text.starts_with("skipping: ")) return !text.ends_with(')') && !text.ends_with(" eager.");
  // Some releases print "- 0/0: " without a reason.
  if (text.starts_with("- ") && text.ends_with(':') &&
      std::ranges::all_of(text.substr(2), IsEntryChar)) {
    return false;
  }
  return (ConsumeReasonLabel(text) || BeginsWithAny(text, kUnlabelledReasons)) &&
         ReasonLacksItsEnd(text);
}

bool BeginsAccess(std::string_view tail) {
  return tail.size() > 1 && tail[0] == '.' && IsWordChar(tail[1]) && !IsDigit(tail[1]);
}

bool GoesOnWith(std::string_view line, size_t width, std::string_view tail) {
  if (TrimLeft(line).starts_with("function:") && BeginsWithAny(Trim(tail), kUnlabelledReasons)) {
    return false;
  }
  if (LacksItsEnd(line)) return true;
  constexpr std::string_view kPlaceOfBreak = " from user code at";
  if (TrimLeft(line).starts_with("Graph break: ") && !HasText(line, kPlaceOfBreak) &&
      HasText(tail, kPlaceOfBreak)) {
    return true;
  }
  line = Trim(line);
  tail = Trim(tail);
  // "- 0/0:" may be all of a reason, unless a guard follows.
  if (line.starts_with("- ") && std::ranges::all_of(line.substr(2), IsEntryChar)) {
    return HasText(tail, "_dynamo_") ||
           ReasonFields(std::string(line) + " " + std::string(tail)) >= kKnownClass;
  }
  // The number of a line, and the code after a guard.
  if (line.starts_with("Recompiling function") || line.starts_with("WON'T CONVERT")) {
    return width >= kMinWrapWidth && std::ranges::all_of(tail, IsDigit);
  }
  if (!ConsumeReasonLabel(line)) return false;
  if (HasCutComment(line) && (HasPlace(tail) || (EndsInPlace(line) && tail.starts_with("in ")))) {
    return true;
  }
  if (BeginsAccess(tail) && !HasOperator(line)) return true;
  return tail.starts_with("# ")
             ? !HasText(line, "  # ")
             : BeginsWithAny(tail, kOperators) || BeginsWithAny(tail, "is |and |or ");
}

bool IsOpenLine(std::string_view line, std::string_view tail) {
  line = Trim(line);
  tail = Trim(tail);
  if (line.empty()) return false;
  const auto place = ParseFrameLine(line);
  if (place && !place->function.empty()) return IsIdentifier(tail);
  if (EndsInPlace(line)) return std::ranges::all_of(tail, IsDigit);
  return std::string_view(":.}])'\"").find(line.back()) == kNotFound;
}

bool HasCutComment(std::string_view line) {
  const size_t comment = FindText(line, " # ");
  return comment != kNotFound && !HasPlace(line.substr(comment));
}

bool IsParagraph(std::string_view line) {
  line = Trim(line);
  return line.starts_with("Explanation: ") || line.starts_with("Hint: ") ||
         line.starts_with("Developer debug context: ");
}

bool IsCutPrefix(std::string_view text) {
  if (text.size() < 9 || text.size() > 400) return false;
  const bool is_old = text.starts_with("[20");
  if (!is_old && (text[0] < 'A' || text[0] > 'Z' || !IsDigit(text[1]))) return false;
  const std::string_view whole = is_old ? "[2023-01-01 00:00:00,000] torch.x: [DEBUG] "
                                        : "V0101 00:00:00.000000 1 torch/x.py:1] ";
  const PrefixStyle style = is_old ? PrefixStyle::kLogger : PrefixStyle::kGlog;
  LogPrefix prefix;
  if (FindLogPrefix(text, 0, prefix) && prefix.style == style) return false;
  const size_t torch = whole.find("torch");
  // It is a prefix if one of these ends completes it.
  for (const size_t from :
       {std::min(text.size(), torch), torch - 1, torch, torch + 7, torch + 8, torch + 9}) {
    const std::string completed = std::string(text) + std::string(whole.substr(from));
    if (FindLogPrefix(completed, 0, prefix) && prefix.begin == 0 && prefix.style == style) {
      return true;
    }
  }
  return false;
}

bool IsCutStart(std::string_view text) {
  return IsCutMessageStart(text) ||
         (TrimLeft(text).starts_with("function: '") && LacksItsEnd(text));
}

bool IsCutText(std::string_view text, const MessageSource& source) {
  text = Trim(text);
  // "... x.py:12] [0/1] [__recom".
  const bool is_cut =
      text.empty() || (text[0] == '[' ? text.size() < 24 && text.find_first_of("] ") == kNotFound
                                      : IsCutStart(text));
  return is_cut && ReadsArtifact(source.artifact);
}

bool MayBeTail(std::string_view text) {
  const std::string_view tail = Trim(text);
  if (tail.empty() || tail.starts_with("```")) return false;
  // The brackets that close a list of strings.
  if (Indent(text) > 0 && std::ranges::none_of(tail, IsWordChar)) return false;
  if (Indent(text) == 0 && ParseAnyException(text)) return false;
  const RecordKind next = MessageAtFront(text, {});
  return next == RecordKind::kNone || next == RecordKind::kBareUnsupported;
}

WrapPlace FindWrapPlace(std::string_view line, std::string_view tail) {
  const auto place = [](bool at_blank) {
    return at_blank ? WrapPlace::kAtBlank : WrapPlace::kInWord;
  };
  const std::string glued = std::string(line) + std::string(tail);
  const std::string spaced = std::string(line) + " " + std::string(tail);
  for (const auto& [front, end] : kSentences) {
    if (HasText(glued, front) != HasText(spaced, front)) return place(HasText(spaced, front));
  }
  constexpr std::string_view kOperatorChars = "<>=!/*";
  if (!line.empty() && !tail.empty() && kOperatorChars.find(line.back()) != kNotFound &&
      kOperatorChars.find(tail.front()) != kNotFound) {
    return WrapPlace::kInWord;  // "<" and "= 35"
  }
  if (BeginsWithAny(tail, kOperators) || BeginsWithAny(tail, "/ ") || EndsWithOperator(line) ||
      line.ends_with(" not") || line.ends_with(" a constant") || line.ends_with('#') ||
      line.ends_with(',') || line.ends_with(kViolations)) {
    return WrapPlace::kAtBlank;
  }
  const int gain = ReasonFields(spaced) - ReasonFields(glued);
  if (gain != 0) return place(gain > 0);
  if (LacksItsEnd(glued) != LacksItsEnd(spaced)) return place(LacksItsEnd(glued));
  if (line.ends_with("reason:") || line.ends_with("reasons:")) return WrapPlace::kAtBlank;
  // A path begins after a blank, and few paths have blanks.
  if (tail.starts_with('/') && BeginsWithAny(TrimLeft(line), "Recompiling |WON'T CONVERT ") &&
      line.find('/') == kNotFound) {
    return WrapPlace::kAtBlank;
  }
  std::string_view path = TrimLeft(line);
  if (ConsumeFront(path, "File \"") && path.find('"') == kNotFound) return WrapPlace::kInWord;
  return WrapPlace::kUnknown;
}

}  // namespace shapewise
