#include "ingest/messages/break_text.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ingest/messages/wording.h"
#include "model/break_types.h"
#include "model/code_owner.h"
#include "model/python_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// "https://.../gb/gb0059.html" -> "GB0059"; empty if `text` has no such link.
std::string RegistryId(std::string_view text) {
  const size_t at = FindText(text, "/gb/gb");
  if (at == kNotFound || at + 10 > text.size()) return {};
  const std::string_view digits = text.substr(at + 6, 4);
  return std::ranges::all_of(digits, IsDigit) ? "GB" + std::string(digits) : std::string();
}

/// `words`, the explanation on line `at`, up to the end of the sentence or the first name in it:
/// people wrap lines.
std::string ExplanationAt(const Record& record, size_t at, std::string_view words) {
  constexpr size_t kMaxLines = 16;
  std::string whole(words);
  for (size_t i = at + 1; i < std::min(record.num_lines(), at + kMaxLines); ++i) {
    if (i > at + 3 && !HasOpenBracket(whole)) break;
    const std::string_view line = Trim(record.line(i));
    if (line.empty() || whole.ends_with('.') || HasText(whole, "`") ||
        BeginsWithAny(line,
                      "Hint:|Developer debug context:|For more |***|from user code:|File \"")) {
      break;
    }
    whole.append(" ").append(line);
  }
  return whole;
}

}  // namespace

std::string ObservedExceptionText(std::string_view context) {
  std::string_view raised = context;
  if (!ConsumeFront(raised, "raised exception ")) return std::string(context);
  const size_t open = std::min(raised.find('('), raised.size());
  std::string text(raised.substr(0, open));
  std::string_view value = raised.substr(open);
  const auto consume_brackets = [&value](std::string_view front, char back) {
    const bool has_front = ConsumeFront(value, front);
    if (has_front && value.ends_with(back)) value.remove_suffix(1);
    return has_front;
  };
  consume_brackets("(", ')');
  if (consume_brackets("[", ']')) {
    // The values of other variables are not printed.
    if (!consume_brackets("ConstantVariable(", ')') || HasText(value, "Variable(")) return text;
    const size_t type = FindText(value, ": ");
    value = type == kNotFound ? std::string_view() : value.substr(type + 2);
  }
  const char quote = value.empty() ? ' ' : value[0];
  if (quote == '\'' || quote == '"') {
    const size_t end = value.find(quote, 1);
    if (end == kNotFound || end + 1 == value.size()) value = value.substr(1, end - 1);
  }
  return value.empty() ? text : text.append(": ").append(value);
}

bool IsOnlyWhatWasTraced(std::string_view reason) {
  return BeginsWithAny(reason, "Encountered graph break |Failed to handle graph break gracefully");
}

std::string_view WithoutExamples(std::string_view explanation) {
  return TrimRight(explanation.substr(0, FindText(explanation, "This function is either a ")));
}

std::string_view TypeOfExplanation(std::string_view explanation) {
  // From rules/graph-breaks/registry.json: explanations up to their first name. They have not
  // changed since 2.7, which added them.
  static constexpr std::pair<std::string_view, std::string_view> kExplained[] = {
#include "ingest/explained_breaks.inc"
  };
  for (const auto& [begin, type] : kExplained) {
    if (explanation.starts_with(begin)) return type;
  }
  return {};
}

std::string_view TypeAt(const Record& record, size_t at, std::string_view reason) {
  reason = Trim(reason);
  ConsumeFront(reason, "... ");  // who quoted it left out the words before the type
  ConsumeFront(reason, "Unsupported: ");
  const bool next_is_blank = at + 1 < record.num_lines() && Trim(record.line(at + 1)).empty();
  if (!IsOnlyWhatWasTraced(reason) && !(reason.ends_with(":") && next_is_blank) &&
      !reason.empty()) {
    return reason;
  }
  std::string_view type = reason;
  for (size_t i = at + 1; i < record.num_lines(); ++i) {
    const std::string_view line = Trim(record.line(i));
    if (line.empty()) continue;
    const bool is_other = BeginsWithAny(
        line, "User code traceback|File \"|Hint:|Explanation:|Developer debug context|***");
    if (!is_other) type = line;
    // A line without the prefix may be a print of the program; then the type follows.
    if (is_other || !record.prefixed || !record.is_bare(i)) break;
  }
  return type;
}

size_t UserFramesBegin(const Record& record, size_t fallback) {
  for (size_t i = 0; i < record.num_lines(); ++i) {
    const std::string_view line = Trim(record.line(i));
    if (line == "from user code:" || line.ends_with("from user code at:") ||
        line.ends_with("from user code at") || line.ends_with("fake tensor exception at") ||
        BeginsWithAny(line,
                      "User code traceback:|User Stack|The following call raised this error|The "
                      "graph break occurred in the following")) {
      return i + 1;
    }
  }
  return fallback;
}

size_t UserFramesEnd(const Record& record, size_t begin) {
  for (size_t i = begin; i < record.num_lines(); ++i) {
    if (BeginsWithAny(Trim(record.line(i)),
                      "Traceback (most recent call last)|Most recent bytecode|Set TORCH")) {
      return i;
    }
  }
  return record.num_lines();
}

std::vector<CodePlace> UserFrames(const Record& record, size_t fallback) {
  const size_t begin = UserFramesBegin(record, fallback);
  return FramesIn(record, begin, UserFramesEnd(record, begin));
}

std::string_view UserCode(const Record& record) {
  const size_t begin = UserFramesBegin(record, record.num_lines());
  const size_t end = UserFramesEnd(record, begin);
  std::string_view code;
  for (size_t i = begin; i + 1 < end; ++i) {
    if (ParseFrameLine(record.line(i))) code = Trim(record.line(i + 1));
  }
  return code;
}

/// Reads facts that may be anywhere below line `begin`, in the first block if there are two.
BreakText::BreakText(const Record& record, size_t begin) {
  constexpr std::string_view kSkip = "torch.compile will skip tracing the frame ";
  bool is_second = false;
  for (size_t i = begin; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    has_block = has_block || BeginsWithAny(line, "Explanation:|Hint:") ||
                HasText(line, "about this graph break");
    has_user_code = has_user_code || line == "from user code:";
    is_second = is_second || line.starts_with("*** While handling this graph break");
    if (!is_second && gb.empty()) gb = RegistryId(line);
    std::string_view words = line;
    if (!is_second && explanation.empty() && ConsumeFront(words, "Explanation:")) {
      explanation = WithoutExamples(ExplanationAt(record, i, Trim(words)));
    }
    std::string_view debug = line;
    if (ConsumeFront(debug, "Developer debug context:")) {
      debug = Trim(debug);
      if (!is_second && context.empty()) context = debug;
      if (ConsumeFront(debug, "frame skipped: ")) skipped = debug;
    }
    // Below "Developer debug context: Backend: inductor", as the explanation says it.
    std::string_view exception = line;
    if (explanation.empty() && context.starts_with("Backend: ") &&
        ConsumeFront(exception, "Exception:")) {
      explanation = "Backend compiler `" + std::string(context.substr(9)) + "` failed with " +
                    std::string(Trim(exception));
    }
    names_loop = names_loop || line.starts_with("graph break in loop") ||
                 HasText(line, "graph break in a for/while loop");
    if (ConsumeFront(line, kSkip) ||
        HasText(line, "Skipping the function and falling back to eager")) {
      skips_frame = true;
      if (skipped.empty() && HasText(line, " line ")) skipped = line;
    }
  }
}

namespace {

/// The context of the break. Where the log does not print one, only the explanation names the
/// exception of a backend or of an operation on fake tensors, the class of a context manager, or a
/// function.
std::string ContextOf(const Record& record, const BreakText& text) {
  // The context names only the tensor; an assert needs another change than an `if`.
  if (text.type.starts_with("Data-dependent ")) {
    const std::string_view code = UserCode(record);
    if (code.starts_with("assert ")) return std::string(code);
  }
  // The context only says "call_method TensorVariable() item () {}"; the line shows what for.
  if (HasText(text.type, "Tensor.item")) {
    const std::string_view code = UserCode(record);
    if (!code.empty()) return std::string(code);
  }
  // The context names only the backend ("Backend: inductor"), the explanation also its exception.
  const std::string_view explanation = text.explanation;
  if (text.type == "Backend compiler exception" && explanation.starts_with("Backend compiler `")) {
    return std::string(explanation.substr(0, FindText(explanation, ". Adding a graph break")));
  }
  if (text.type.starts_with(kObservedException)) return ObservedExceptionText(text.context);
  if (!text.context.empty()) return std::string(text.context);
  if (text.type.ends_with(" when making fake tensor call")) return FakeRunText(explanation);
  const bool names_cause = text.type == "Unsupported context manager" || HasText(explanation, "`");
  return names_cause ? text.explanation : std::string();
}

}  // namespace

EventDetail& AddBreak(const Record& record, const BreakText& text, FactRole role,
                      ParsedMessage& parsed) {
  ParsedFact& fact = parsed.Add(GraphBreakFact{.gb = parsed.Intern(text.gb),
                                               .type = parsed.Intern(text.type),
                                               .repeat = text.is_repeat,
                                               .fatal = text.is_fatal || role == FactRole::kRaised,
                                               .context = parsed.Intern(ContextOf(record, text))},
                                role);
  parsed.SetUserPlace(text.place, fact.detail);
  if (text.place.line == 0) return fact.detail;
  const size_t begin = UserFramesBegin(record, 0);
  const size_t end = UserFramesEnd(record, begin);
  for (size_t i = begin; i < end; ++i) {
    const std::string_view line = record.line(i);
    std::optional<CodePlace> frame = ParseFrameLine(line);
    if (!frame) frame = ParseFrameSummary(line);
    if (frame) fact.frames.push_back(*frame);
  }
  auto& graph_break = *fact.detail.As<GraphBreakFact>();
  graph_break.code = parsed.Intern(UserCode(record));
  if (IsLibraryFile(text.place.file)) {
    const CallingLine caller = FindCallingLine(record, begin, end);
    graph_break.called_from = parsed.Intern(caller.text);
    graph_break.calls_compiled = caller.calls_compiled;
  }
  return fact.detail;
}

CallingLine FindCallingLine(const Record& record, size_t begin, size_t end) {
  // Calling a compiled module shows twice: the call of torch._dynamo's OptimizedModule, and that of
  // the module in it (torch/nn/modules/module.py); Module.compile() by the name of the attribute.
  constexpr std::string_view kCallOfModule = "_wrapped_call_impl";
  constexpr std::string_view kCompiledCall = "_compiled_call_impl(";
  CallingLine caller;
  size_t num_calls = 0;  // of modules, in a row
  size_t num_functions = 0;
  bool begins_at_script = false;
  bool has_entry = false;
  for (size_t i = begin; i < end; ++i) {
    const std::string_view line = record.line(i);
    std::optional<CodePlace> found = ParseFrameLine(line);
    const bool is_of_traceback = found.has_value();
    if (!found) found = ParseFrameSummary(line);
    if (!found) {
      const bool enters = HasText(line, kCompiledCall);
      caller.calls_compiled |= enters;
      has_entry |= enters;
      continue;
    }
    const CodePlace& frame = *found;
    const bool is_call = frame.function == kCallOfModule || frame.function == "_call_impl";
    if (frame.function == kCallOfModule) ++num_calls;
    if (!is_call) num_calls = 0;
    caller.calls_compiled |= num_calls > 1;
    has_entry |= num_calls > 1;
    if (frame.line == 0 || IsLibraryFile(frame.file)) continue;
    caller.text = std::string(frame.file) + ":" + std::to_string(frame.line);
    caller.calls_compiled = frame.function == "<module>";
    begins_at_script |= caller.calls_compiled;
    if (!caller.calls_compiled) ++num_functions;
    const std::string_view code =
        is_of_traceback && i + 1 < end ? Trim(record.line(i + 1)) : std::string_view();
    if (!code.empty() && !ParseFrameLine(code)) caller.text += ": " + std::string(code);
  }
  // The only function of a whole stack may be the one that calls what was compiled.
  if (begins_at_script && !has_entry && num_functions < 2) caller.calls_compiled = true;
  return caller;
}

namespace {

/// "<built-in function mul>", "<function interpolate at 0x7f>", "<built-in method conv2d of type
/// object at 0x7f>", "<Wrapped method <original add>>", "view" -> the name.
std::string_view OperationName(std::string_view target) {
  if (!ConsumeFront(target, "<")) return target;
  ConsumeFront(target, "Wrapped method <original");
  if (ConsumeFront(target, " ")) return target.substr(0, target.find('>'));
  for (const std::string_view before : {"function ", "method "}) {
    const size_t at = FindText(target, before);
    if (at == kNotFound) continue;
    const std::string_view name = target.substr(at + before.size());
    return name.substr(0, name.find_first_of(" >"));
  }
  return {};
}

/// "RuntimeError('text')" -> "text".
std::string_view RaisedText(std::string_view error) {
  const size_t open = error.find('(');
  if (open == kNotFound || !error.ends_with(")")) return error;
  const std::string_view text = Trim(error.substr(open + 1, error.size() - open - 2));
  if (text.size() < 2 || (text[0] != '\'' && text[0] != '"') || text.back() != text[0])
    return error;
  return text.substr(1, text.size() - 2);
}

/// Where the arguments "(*(...), **{})" begin, which blanks may separate from their bracket.
size_t ArgumentsBegin(std::string_view call) {
  for (size_t star = FindText(call, "*("); star != kNotFound;
       star = FindText(call, "*(", star + 1)) {
    const std::string_view before = TrimRight(call.substr(0, star));
    if (before.ends_with('(')) return before.size() - 1;
  }
  return kNotFound;
}

}  // namespace

std::string FakeRunText(std::string_view message) {
  if (ConsumeFront(message, kFailedFakeRun)) {
    message = TrimLeft(message);
    if (!ConsumeFront(message, "call_")) return {};
  } else if (!ConsumeFront(message, kOldFailedFakeRun)) {
    return {};
  }
  const size_t arguments = ArgumentsBegin(message);
  const size_t target = message.find(' ') + 1;
  if (arguments == kNotFound || target == 0 || target > arguments) return {};
  std::string text(OperationName(Trim(message.substr(target, arguments - target))));
  if (text.empty()) return {};

  // The error may quote tensors, too.
  const std::string_view inputs = message.substr(0, FindText(message, "): got ", arguments));
  constexpr std::string_view kSize = "size=(";
  std::vector<std::string_view> sizes;
  size_t end = arguments;
  for (size_t at = FindText(inputs, kSize, end); at != kNotFound;
       at = FindText(inputs, kSize, end)) {
    const size_t begin = at + kSize.size() - 1;
    end = inputs.find(')', begin);
    if (end == kNotFound) break;
    sizes.push_back(inputs.substr(begin, end + 1 - begin));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    text.append(i == 0 ? " of sizes " : i + 1 < sizes.size() ? ", " : " and ").append(sizes[i]);
  }

  std::string_view error = TextBetween(message.substr(arguments), "): got ", "\n");
  if (error.empty()) error = TextBetween(message.substr(arguments), "}): ", "\n");
  error = RaisedText(Trim(error));
  if (!error.empty()) text.append(": ").append(error);
  return sizes.empty() && error.empty() ? std::string() : text;
}

}  // namespace shapewise
