// Exceptions of the compiler, as tracebacks end with them, and what is left of them in a cut log.

#include <algorithm>
#include <string>
#include <string_view>

#include "ingest/messages/break_text.h"
#include "ingest/messages/message_rows.h"
#include "ingest/messages/message_table.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/traceback_lines.h"
#include "ingest/messages/wording.h"
#include "model/break_types.h"
#include "model/code_owner.h"
#include "model/python_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Whether a sentence that ends with `text` goes on with `next`: no sentence ends, or begins, so.
bool GoesOn(std::string_view text, std::string_view next) {
  if (text.empty() || text.ends_with(':') || text.ends_with(',') || HasOpenBracket(text))
    return true;
  if (text.ends_with(" expression") || text.ends_with(" with") || text.ends_with(" of") ||
      text.ends_with(kNoTritonConfig)) {
    return true;
  }
  return !text.ends_with('.') && next[0] >= 'a' && next[0] <= 'z' && HasText(next, " ");
}

/// The error below the code that Triton prints up to its place, which a line "^" marks, or else the
/// statement there. Empty: it is not in the log.
std::string_view TritonsError(const Record& record) {
  for (size_t i = 1; i < record.num_lines(); ++i) {
    if (Trim(record.line(i)) != "^") continue;
    const bool has_error = i + 1 < record.num_lines() && !Trim(record.line(i + 1)).empty();
    return Trim(record.line(has_error ? i + 1 : i - 1));
  }
  return {};
}

/// `text`, which ends line `at`, with the lines onto which it wraps: TorchRuntimeError has line
/// feeds of its own, and terminals and people add theirs.
std::string WithWrapped(const Record& record, size_t at, std::string_view text) {
  constexpr size_t kMaxWrapped = 3;
  constexpr size_t kMaxOpen = 16;  // below an operation, whose arguments people list line by line
  std::string whole(text);
  if (EndsWithTritonsPlace(text)) {
    whole.append(" ").append(TritonsError(record));
    return std::string(TrimRight(whole));
  }
  const size_t end = std::min(record.num_lines(), at + 1 + kMaxOpen);
  for (size_t i = at + 1; i < end; ++i) {
    if (i > at + kMaxWrapped && !HasOpenBracket(whole)) break;
    const std::string_view line = Trim(record.line(i));
    std::string_view target = line;
    if (whole.ends_with("Error:") && ConsumeFront(target, "target: ")) {
      // An assertion without a message says only which operator was being lowered.
      whole.pop_back();
      return whole.append(" in ").append(target);
    }
    if (line.empty() || line == "from user code:" || line.starts_with("def ") ||
        ParseFrameLine(line) ||
        BeginsWithAny(line, "- |target: |args[|Set TORCH|Hint:|Explanation:|Traceback (most") ||
        (!GoesOn(whole, line) && Indent(record.line(i)) <= Indent(record.line(at)))) {
      break;
    }
    if (!whole.empty()) whole.append(" ");
    whole.append(line);
  }
  return whole;
}

/// The frame above the exception. Absent: none is near.
std::optional<CodePlace> PlaceAbove(const Record& record) {
  const std::string_view frame = record.frame_above;
  return ParseFrameLine(frame.substr(0, frame.find('\n')));
}

/// The line of code of that frame; empty: none is near.
std::string CodeAbove(const Record& record) {
  const std::string& frame = record.frame_above;
  return frame.substr(std::min(frame.size(), frame.find('\n') + 1));
}

/// The line of code that asks for the value of a symbol, with its file: the one after "Caused by:",
/// or that of the innermost frame printed. Empty: none is printed.
std::string AskingLine(const Record& record) {
  std::string asking;
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    if (ConsumeFront(line, "Caused by:") && !Trim(line).starts_with("(")) {
      return std::string(Trim(line));
    }
    const auto frame = ParseFrameLine(line);
    if (!frame || i + 1 == record.num_lines() || ParseFrameLine(record.line(i + 1))) continue;
    asking = Trim(record.line(i + 1));
    asking.append("  # ").append(frame->file);
  }
  const auto above = PlaceAbove(record);
  if (asking.empty() && above) asking.append(CodeAbove(record)).append("  # ").append(above->file);
  return asking;
}

/// Whether `expression` contains a symbol without a known value, such as "u0".
bool NamesUnbackedSymbol(std::string_view expression) {
  for (size_t at = FindText(expression, "u"); at != kNotFound; at = expression.find('u', at + 1)) {
    const bool begins_word = at == 0 || !IsWordChar(expression[at - 1]);
    if (begins_word && at + 1 < expression.size() && IsDigit(expression[at + 1])) return true;
  }
  return false;
}

/// The first error that the C++ compiler printed: "/tmp/x.cpp:3:10: fatal error: omp.h: No such
/// file or directory". Empty: its output is not in the log.
std::string_view CompilersError(const Record& record, size_t begin) {
  for (size_t i = begin; i < record.num_lines(); ++i) {
    if (NamesCompilersError(record.line(i))) return Trim(record.line(i));
  }
  return {};
}

/// The message of an exception whose own line ends with its class: a report lists it in a field,
/// "- **Exception Message:** RuntimeError: PassManager::run failed", or people wrap at the colon.
std::string_view MessageBelow(const Record& record) {
  constexpr std::string_view kField = "Exception Message:";
  if (record.num_lines() < 2) return {};
  const std::string_view line = record.line(1);
  const size_t at = FindText(line, kField);
  if (at == kNotFound) {
    const bool is_wrapped =
        TrimRight(record.line(0)).ends_with(':') &&
        (MessageAtFront(line, {}) != RecordKind::kNone || ParseAnyException(line));
    return is_wrapped ? Trim(line) : std::string_view();
  }
  const std::string_view text = line.substr(at + kField.size());
  return Trim(text.substr(std::min(text.size(), text.find_first_not_of("* "))));
}

/// What PyTorch's symbolic shapes call the cause of their question since 2.7, its own files last:
/// "if n > 2:  # srv/train.py:11 in step (_dynamo/variables/tensor.py:2606 in evaluate_expr)", or
/// only "(srv/train.py:11 in step)".
CodePlace PlaceOfCause(std::string_view cause) {
  const size_t comment = cause.rfind("# ");
  if (comment != kNotFound) cause.remove_prefix(comment + 2);
  ConsumeFront(cause, "(");
  std::string_view rest;
  CodePlace place = SplitFileLine(cause, &rest);
  if (ConsumeFront(rest, " in ")) place.function = rest.substr(0, rest.find_first_of(" )"));
  return place;
}

/// The place of an error without the user's stack: the cause of a question about a size, else the
/// innermost frame below the message that is the user's, or the one above, else that of a library
/// other than PyTorch. The frames of a description of tensors end with a comma.
CodePlace PlaceOfError(const Record& record) {
  const CodePlace above = PlaceAbove(record).value_or(CodePlace());
  CodePlace user;
  CodePlace library;
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    if (line.starts_with("Traceback (most")) break;
    const bool is_cause = ConsumeFront(line, "Caused by:");
    const auto frame = is_cause ? PlaceOfCause(Trim(line)) : ParseFrameLine(line);
    if (!frame || (is_cause ? frame->line == 0 : line.ends_with(','))) continue;
    const std::string_view owner = OwnerOf(frame->file).library;
    // PyTorch cuts the path of the cause.
    const bool is_above = above.line == frame->line && above.file.ends_with(frame->file);
    if (owner.empty() && is_cause) return is_above ? above : *frame;
    if (owner.empty()) user = *frame;
    if (owner != "torch" && owner != "python") library = *frame;
  }
  if (user.file.empty()) user = above;
  return user.file.empty() ? library : user;
}

/// First line of the frames that called the operation in a graph that the backend could not
/// compile: torch/_inductor/exc.py (since 2.7), torch/fx/interpreter.py. The number of lines: there
/// are none.
size_t FramesOfOperationBegin(const Record& record) {
  for (size_t i = 0; i < record.num_lines(); ++i) {
    if (BeginsWithAny(Trim(record.line(i)), "Found from :|Original traceback:")) return i + 1;
  }
  return record.num_lines();
}

/// Whether the last of `frames` is a function of the user's that was passed to an operator, such as
/// a score_mod: the graph cannot break in it.
bool IsPassedToOperator(const std::vector<CodePlace>& frames) {
  if (frames.size() < 2 || IsLibraryFile(frames.back().file)) return false;
  const std::string_view caller = frames[frames.size() - 2].file;
  return HasText(caller, "torch/nn/attention/") || HasText(caller, "torch/_higher_order_ops/");
}

/// Whether the compiler's closing words are below the text.
bool HasClosingWords(const Record& record) {
  for (size_t i = record.num_lines(); i > 1; --i) {
    if (ShowsUserCode(record.line(i - 1)) && !BeginsUserCode(record.line(i - 1))) return true;
  }
  return false;
}

/// "from user code:" is TracingContext.extract_stack(), whose first frame is the compiled one.
void SetCompiledFrame(const std::vector<CodePlace>& frames, ParsedMessage& parsed,
                      EventDetail& detail) {
  if (frames.empty()) return;
  detail.function = parsed.Intern(frames.front().function);
  detail.file = parsed.Intern(frames.front().file);
}

// Of kernels that people write themselves, too, which run without torch.compile.
constexpr std::string_view kLaunchErrors = "Triton Error [|Pointer argument |LLVM ERROR: ";

/// The frame of compiled code in which an error occurred.
void SetCompiledPlace(const CodePlace& place, ParsedMessage& parsed, EventDetail& detail) {
  detail.function = parsed.Intern(place.function);
  detail.file = parsed.Intern(place.file);
  detail.function_line = place.line;
}

/// The exception of a record whose first line has no class of the compiler's: only its text
/// decides.
ExceptionHead HeadOfText(const Record& record, const BreakText& text) {
  const CompilerError* const known = FindCompilerError(record.head());
  ExceptionHead head = {{known != nullptr ? known->type : std::string_view(), record.head()},
                        RecordKind::kException};
  if (known == nullptr && (record.is_compilers || text.has_user_code)) {
    const auto raised = ParseAnyException(record.line(0));
    if (raised) static_cast<AnyException&>(head) = *raised;
  }
  // InductorError begins its text with the class of the error inside (torch/_inductor/exc.py, 2.7).
  if (!text.has_user_code && FindAnyException(record.line(0)) == 0 && HasClosingWords(record)) {
    head.name = "InductorError";
  }
  if (head.message.starts_with("backend='")) head.name = "BackendCompilerFailed";
  // vLLM reports the error of a worker, of whatever kind.
  if (ConsumeFront(head.message, "Worker failed with error '") && !text.has_block) {
    head.kind = RecordKind::kNone;
  }
  return head;
}

/// "backend='inductor' raised: ..." without the dots.
std::string_view WithoutEllipsis(std::string_view message) {
  constexpr std::string_view kRaised = "raised:";
  const size_t raised = message.rfind(kRaised);
  if (raised == kNotFound) return message;
  const size_t end = raised + kRaised.size();
  return IsEllipsis(Trim(message.substr(end))) ? message.substr(0, end) : message;
}

/// The subject of a break of which people pasted only the type and, on the next line, the subject,
/// or the exception above it that names the operator.
std::string_view SubjectOfBreak(const Record& record, const BreakText& text) {
  const auto inner = ParseAnyException(record.inner_error);
  if (text.type == kNoFakeKernel && inner && inner->name == kUnsupportedOperator) {
    return inner->message;
  }
  if (text.has_block || text.has_user_code || record.num_lines() < 2) return {};
  const std::string_view line = Trim(record.line(1));
  // Prose about the operator may follow.
  return text.type == kNoFakeKernel && HasText(line, " ") ? std::string_view() : line;
}

/// The last line of a traceback below the message, with the exception; empty without one.
std::string LastException(const Record& record) {
  for (size_t i = record.num_lines(); i > 1; --i) {
    const std::string_view line = Trim(record.line(i - 1));
    if (ParseAnyException(line)) return std::string(line);
  }
  return {};
}

/// What 2.0 prints before the exception of a backend, by the name of the function that called it.
constexpr char kOldBackendErrors[] = "debug_wrapper raised |compile_fn raised ";

constexpr std::string_view kOverwritten = "has been overwritten by a subsequent run";

/// The line that made the tensor which the next run of a CUDA graph overwrote, the innermost of the
/// stack in the message: "self.inv_freq = 1.0 / (. To prevent overwriting, clone the tensor".
/// Empty: it is not in the log.
std::string LineOfOverwritten(const Record& record) {
  for (size_t i = 1; i < record.num_lines(); ++i) {
    const std::string_view line = record.line(i);
    const size_t end = FindText(line, ". To prevent overwriting");
    if (end != kNotFound) return std::string(Trim(line.substr(0, end)));
  }
  return {};
}

/// The context of an error whose `message` begins on line `at`: the text inside of another
/// exception, the code that asks for a value, the operation that failed, the compiler's error.
std::string ContextOfError(const Record& record, size_t at, std::string_view message) {
  std::string context;
  if (message.ends_with("raised:")) {
    // "backend='inductor' raised:" is only the frame around the news.
    if (record.num_lines() > at + 1) {
      context = WithWrapped(record, at + 1, Trim(record.line(at + 1)));
    }
    if (context.empty() || IsEllipsis(context)) context = record.inner_error;
  } else if (BeginsWithAny(message, kOldBackendErrors)) {
    context = message.substr(FindText(message, " raised ") + 8);
  } else if (HasText(message, "data-dependent expression")) {
    context = AskingLine(record);
  } else if (HasText(message, kOverwritten)) {
    context = LineOfOverwritten(record);
  } else if (HasText(message, "donated buffers") || HasText(message, "double backward")) {
    context = CodeAbove(record);
  } else if (BeginsWithAny(message, kGuardsError) || HasText(message, "suppressing in case")) {
    context = record.inner_error.empty() ? LastException(record) : record.inner_error;
  } else {
    context = FakeRunText(message);
  }
  for (const std::string_view compiler : {kCppError, kAssemblerError}) {
    if (!HasText(message, compiler) && !HasText(context, compiler)) continue;
    context.append("\n").append(CompilersError(record, 1));
    break;
  }
  return std::string(Trim(context));
}

}  // namespace

void ParseException(const Record& record, ParsedMessage& parsed) {
  ExceptionHead head = FindExceptionHead(record.line(0), /*anywhere=*/false);
  BreakText text(record);
  bool is_announced = record.is_compilers;
  if (head.kind == RecordKind::kNone) {
    const CompilerError* const known = FindCompilerError(record.head());
    is_announced |= known != nullptr && known->type.empty();
    head = HeadOfText(record, text);
  }
  if (head.kind != RecordKind::kException) return;
  // Prose about a setting has more words before these.
  if (BeginsWithAny(head.message, "torch._%*.config.%* does not exist") &&
      HasText(TextBetween(head.message, ".config.", " does not exist"), " ")) {
    return;
  }
  // Memory runs out, and a connection breaks, in compiled code as in any other.
  if (!record.compiled_frame.empty() &&
      (head.name == "OutOfMemoryError" || head.name == "DistBackendError")) {
    return;
  }
  size_t message_at = 0;
  if (head.message.empty()) {
    head.message = MessageBelow(record);
    if (!head.message.empty()) message_at = 1;
  }
  if (head.name == "ConstraintViolationError" || HasText(head.message, "Constraints violated") ||
      HasText(head.message, "Specializations unexpectedly required")) {
    return ParseConstraints(record, parsed);
  }
  const std::vector<CodePlace> frames = UserFrames(record, FramesOfOperationBegin(record));
  if (!text.SetPlace(frames)) text.place = PlaceOfError(record);
  const bool is_bare_name = head.offset == Indent(record.line(0)) &&
                            record.line(0).substr(head.offset).starts_with(head.name);
  // A class name alone, as printed by notebooks, is torch's if torch's text follows.
  if (is_bare_name && head.message.empty() && !text.has_user_code) return;
  // Autograd's errors have a "Hint:", too.
  const bool is_of_python = head.name == "RuntimeError" || head.name == "AssertionError";
  const bool is_limit = SaysLimitReached(head.message);
  if (!is_limit && (head.name == "Unsupported" || (text.has_block && !is_of_python))) {
    // "Unsupported: codec" may belong to other code; the text of torch is longer or well known.
    parsed.is_doubtful = is_bare_name && head.name == "Unsupported" && !text.has_block &&
                         !text.has_user_code &&
                         MessageAtFront(head.message, {}) != RecordKind::kBareUnsupported;
    if (parsed.is_doubtful) return;
    text.type = TypeAt(record, 0, head.message);
    if (text.context.empty()) text.context = SubjectOfBreak(record, text);
    EventDetail& detail = AddBreak(record, text, FactRole::kRaised, parsed);
    if (text.has_user_code) SetCompiledFrame(frames, parsed, detail);
    return;
  }
  if (!record.inner_error.empty()) head.message = WithoutEllipsis(head.message);
  const std::string message = head.message.ends_with("raised:")
                                  ? std::string(head.message)
                                  : WithWrapped(record, message_at, head.message);
  const CompileErrorFact error{
      .type = parsed.Intern(head.name),
      .message = parsed.Intern(message),
      .context = parsed.Intern(ContextOfError(record, message_at, message))};
  if (message.ends_with("recompile_limit does not exist")) {
    parsed.marks.push_back({"there is no recompile_limit", 0, 206});
  }
  // Kernels that people write themselves run without torch.compile, too, as does a checkpoint.
  parsed.is_doubtful =
      record.line(0).substr(head.offset).starts_with("triton.") ||
      (record.compiled_frame.empty() &&
       (BeginsWithAny(message, kLaunchErrors) || message.starts_with("torch.utils.checkpoint: ")));
  // Notebooks print what a BackendCompilerFailed is made of above it; of a break, the exception
  // that Dynamo met.
  is_announced |= (is_bare_name && head.name == "CppCompileError") || IsMetByDynamo(head.name);
  const FactRole role = is_announced ? FactRole::kAnnounced : FactRole::kRaised;
  EventDetail& detail = parsed.Add(error, role).detail;
  parsed.SetUserPlace(text.place, detail);
  if (text.has_user_code) SetCompiledFrame(frames, parsed, detail);
  const bool is_passed = IsPassedToOperator(frames);
  if (text.has_user_code && (IsLibraryFile(text.place.file) || is_passed)) {
    const size_t begin = UserFramesBegin(record, record.num_lines());
    size_t end = UserFramesEnd(record, begin);
    if (is_passed) {
      while (end > begin && !ParseFrameLine(record.line(end - 1))) --end;
      if (end > begin) --end;  // the operator is called above the last frame
    }
    const CallingLine caller = FindCallingLine(record, begin, end);
    detail.As<CompileErrorFact>()->called_from = parsed.Intern(caller.text);
  }
  const auto frame = ParseFrameLine(record.compiled_frame);
  if (detail.file == StrId::kNone && frame &&
      (record.is_compilers || BeginsWithAny(message, kLaunchErrors))) {
    SetCompiledPlace(*frame, parsed, detail);
  }
  std::string_view guarded = message;
  if (ConsumeFront(guarded, kGuardsError)) {
    // "f /srv/app/model.py:4"
    const size_t blank = std::min(guarded.find(' '), guarded.size());
    CodePlace place = SplitFileLine(Trim(guarded.substr(blank)));
    place.function = guarded.substr(0, blank);
    SetCompiledPlace(place, parsed, detail);
  }
}

void ParseShapeError(const Record& record, ParsedMessage& parsed) {
  // torch/fx/experimental/recording.py, torch/_subclasses/fake_tensor.py, 2.2 to 2.13:
  //   failed while running evaluate_expr(*(u0 >= 9, None), **{'fx_node': None})
  //   failed while attempting to run meta for aten.select.int
  // The exception is raised again, but its text may be cut off. If only the question was printed,
  // the compiler may have continued without an answer.
  size_t end = kNotFound;
  const size_t begin = FindText(record.head(), "evaluate_expr(*(");
  if (begin == kNotFound) {
    parsed.Add(CompileErrorFact{}, FactRole::kPart);
    return;
  }
  const std::string_view question = ReadArgument(record.head(), begin + 16, &end);
  if (end == kNotFound || !NamesUnbackedSymbol(question)) return;
  const std::string message =
      "Could not guard on data-dependent expression " + std::string(question);
  parsed.Add(CompileErrorFact{.type = parsed.Intern("GuardOnDataDependentSymNode"),
                              .message = parsed.Intern(message)},
             FactRole::kAnnounced);
}

void ParseNotebookHead(const Record& record, ParsedMessage& parsed) {
  // The message comes at the end of the traceback, which may be cut away.
  const std::string_view head = record.head();
  const StrId type = parsed.Intern(head.substr(0, head.find(' ')));
  parsed.Add(CompileErrorFact{.type = type}, FactRole::kAnnounced).detail.cut = true;
}

void ParseCompilerOutput(const Record& record, ParsedMessage& parsed) {
  const std::string_view error = CompilersError(record, 0);
  if (error.empty()) return;
  parsed.Add(CompileErrorFact{.type = parsed.Intern("CppCompileError"),
                              .message = parsed.Intern(kCppError),
                              .context = parsed.Intern(error)},
             FactRole::kAnnounced);
}

void ParseUserStack(const Record& record, ParsedMessage& parsed) {
  // Only an error about the value of a size prints its stack below other advice.
  const bool is_of_size = Trim(record.line(0)).starts_with("User Stack");
  const CompileErrorFact error = {
      .type = parsed.Intern(is_of_size ? "GuardOnDataDependentSymNode" : ""),
      .context = parsed.Intern(is_of_size ? AskingLine(record) : "")};
  EventDetail& detail = parsed.Add(error, FactRole::kRaised).detail;
  parsed.SetUserPlace(InnermostFrame(record, 0), detail);
  detail.cut = true;
}

void ParseTorchscript(const Record& record, ParsedMessage& parsed) {
  // torch.jit.frontend.NotSupportedError: unsupported binary operator: LShift:
  //   File "example.py", line 5
  const ExceptionHead head = FindExceptionHead(record.line(0), /*anywhere=*/false);
  if (head.kind != RecordKind::kTorchscript) return;
  const TorchscriptFact error = {parsed.Intern(head.message), TorchscriptAction::kError,
                                 parsed.Intern(head.name)};
  parsed.SetUserPlace(InnermostFrame(record, 1), parsed.Add(error, FactRole::kRaised).detail);
}

}  // namespace shapewise
