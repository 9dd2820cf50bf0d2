// Joins the tables of tables/messages.json with the tests and parsers of each kind of message.
//
// A prefixed message repeats its whole prefix on every line, so there the only question is whether
// another message begins in the same millisecond. A bare message (no TORCH_LOGS, a custom format, a
// pasted excerpt) ends with the first line that does not match its row: one line too many would
// swallow the next message, one too few loses detail.

#include "ingest/messages/message_rows.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "ingest/data_tables.h"
#include "ingest/messages/message_table.h"
#include "ingest/messages/traceback_lines.h"
#include "ingest/messages/wording.h"
#include "model/guard.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Kind = RecordKind;

/// Whether the message has only just begun: its text follows, up to a blank line.
bool GoesOnBelow(const Record& record, std::string_view text) {
  return record.num_lines_seen() < 8 && !Trim(text).empty();
}

/// The hint about many sizes is one line that people wrap by hand.
bool IsWrappedHint(const Record& record, std::string_view text) {
  return record.head().starts_with("CUDAGraph supports dynamic") && GoesOnBelow(record, text) &&
         !HasText(record.last_text(), "distinct sizes");
}

/// Whether the first error of a C++ compiler has not been printed yet: before it come the command
/// and the chain of included files.
bool AwaitsCompilersError(const Record& record) {
  constexpr size_t kMaxLines = 40;
  return record.num_lines_seen() < kMaxLines && !NamesCompilersError(record.last_text());
}

/// Whether the exception is that of a C++ compiler.
bool IsCppError(const Record& record) {
  const size_t num_heads = std::min<size_t>(record.num_lines(), 2);
  for (size_t i = 0; i < num_heads; ++i) {
    if (HasText(record.line(i), kCppError)) return true;
  }
  return false;
}

/// A line that another message does not begin, up to the error of a compiler.
bool PrecedesError(std::string_view text) {
  const Kind kind = FindMessage(text).kind;
  return (kind == Kind::kNone || kind == Kind::kCompilerOutput) &&
         !BeginsWithAny(TrimLeft(text), "Set TORCH|Traceback (|The above exception");
}

bool PrecedesCompilersError(const Record& record, std::string_view text) {
  return AwaitsCompilersError(record) && PrecedesError(text);
}

/// Whether the exception is that of Triton, whose error is printed below its code.
bool AwaitsTritonsError(const Record& record) {
  constexpr size_t kMaxLines = 200;
  const size_t size = record.num_lines();
  const size_t num_heads = std::min<size_t>(size, 2);
  for (size_t i = 0; i < num_heads; ++i) {
    if (EndsWithTritonsPlace(record.line(i))) {
      return record.num_lines_seen() < kMaxLines && Trim(record.line(size - 1 - (size > 1))) != "^";
    }
  }
  return false;
}

/// Whether the exception that a guard raised is still to come, below the guards and a traceback.
bool AwaitsGuardsError(const Record& record) {
  constexpr size_t kMaxLines = 200;
  return record.head().starts_with(kGuardsError) && record.inner_error.empty() &&
         record.num_lines_seen() < kMaxLines && !ParseAnyException(record.last_text());
}

/// The first paragraph of an exception's message, which may quote what was called, or what a
/// compiler printed.
bool IsFirstParagraph(const Record& record, std::string_view text) {
  if (AwaitsGuardsError(record)) return FindMessage(text).kind == Kind::kNone;
  if ((IsCppError(record) && AwaitsCompilersError(record)) || AwaitsTritonsError(record)) {
    return PrecedesError(text);
  }
  if (record.num_lines_seen() > 12 || record.has_blank_line()) return false;
  // The message of an exception that holds another one begins on a line of its own.
  if (record.last_text().ends_with("BackendCompilerFailed:") &&
      TrimLeft(text).starts_with("backend='")) {
    return true;
  }
  if (TrimRight(record.last_text()).ends_with(kNoTritonConfig)) return true;
  const Kind kind = FindMessage(text).kind;
  return kind == Kind::kNone || kind == Kind::kBareUnsupported || kind == Kind::kCompilerOutput ||
         (kind == Kind::kException &&
          FindExceptionHead(text, /*anywhere=*/true).kind == Kind::kNone);
}

/// Another exception begins; a debug context may contain a traceback. Or brackets alone on a line
/// close what a notebook is stored in, unless they are part of the tensors that Inductor lists.
bool EndsException(const Record& record, std::string_view text) {
  const std::string_view trimmed = TrimLeft(text);
  const bool lists_tensors =
      record.num_lines() > 1 && TrimLeft(record.line(1)).starts_with("target: ");
  if (!lists_tensors && !trimmed.empty() && trimmed.find_first_not_of("]}, ") == kNotFound) {
    return true;
  }
  if (trimmed.starts_with("The above exception") || trimmed.starts_with("During handling of")) {
    return true;
  }
  return trimmed.starts_with("Traceback (most") && Indent(text) <= 2 &&
         !AwaitsGuardsError(record) && !record.last_text().starts_with("Developer debug context");
}

/// A reason of a limit, below the function, that people pasted without "last reason:", or one of
/// several.
bool FollowsLimit(const Record& record, std::string_view text) {
  constexpr std::string_view kBefore = "function: |torch._dynamo hit |torchdynamo hit |reasons:";
  const std::string_view last = record.last_text();
  return IsUnlabelledReason(text) && (BeginsWithAny(last, kBefore) || IsUnlabelledReason(last));
}

/// The second line of an explanation or a hint in a list of reasons.
bool IsReasonText(const Record& record, std::string_view) {
  return BeginsWithAny(TrimLeft(record.last_text()), "Explanation:|Hint:");
}

/// The blank line below the type of a break, or between the parts of its text.
bool IsBlankInBreak(const Record& record, std::string_view text) {
  return Trim(text).empty() &&
         (record.num_lines_seen() < 3 ||
          BeginsWithAny(record.last_text(),
                        "Explanation:|Hint:|Developer debug context:|For more "));
}

/// The type of a break directly below "Encountered graph break when attempting to trace CALL",
/// whose end, "...: a function call, e.g. f(x, y):", and blank line were left out.
bool IsTypeBelowOpcode(const Record& record, std::string_view text) {
  return BeginsWithAny(Trim(record.last_text()), "Graph Break Reason: Encountered graph break ") &&
         FindMessage(text).kind == Kind::kNone;
}

bool BeginsTable(const Record& record, std::string_view text) {
  return record.has_autotune_table() && TrimLeft(text).starts_with("AUTOTUNE ");
}

bool ContinuesXlaAnalysis(const Record& record, std::string_view text) {
  const std::string_view first = record.head();
  const size_t head = FindText(first, "Analysis: ") + 10;
  const std::string_view trimmed = TrimLeft(text);
  if (!trimmed.starts_with(first.substr(0, head))) return false;
  // A ruler of '=' ends the block if one of '-' comes before it, and begins the next otherwise.
  if (!trimmed.substr(head).starts_with("====")) return true;
  return record.num_lines_seen() > 1 && HasText(record.last_text(), "Analysis: ----");
}

bool ContinuesXlaFallback(const Record& record, std::string_view text) {
  std::string_view line = TrimLeft(text);
  const bool is_profilers = ConsumeFront(line, "pt-xla-profiler:");
  if (is_profilers != record.head().starts_with("pt-xla-profiler:")) return false;
  line = Trim(line);
  if (is_profilers) return !line.starts_with("FRAME (count=") && !line.starts_with("====");
  return line.empty() || line.starts_with("Unlowered Op: ") || line == "Python Frames:" ||
         (Indent(text) >= 2 && line.ends_with(')'));
}

// In the order of RecordKind.
constexpr MessageCode kCodes[] = {
    {"none", nullptr},
    {"recompile", ParseRecompile},
    {"limit", ParseLimit, FollowsLimit},
    {"graph_break", ParseGraphBreak, IsTypeBelowOpcode},
    {"item_warning", ParseItemWarning},
    {"break_block", ParseBreakBlock},
    {"break_tail", ParseBreakTail, IsTypeBelowOpcode},
    {"bare_unsupported", ParseBareUnsupported, IsBlankInBreak},
    {"profiler_report", ParseProfilerReport},
    {"old_explanation", ParseOldExplanation},
    {"break_reason", ParseBreakReason, IsReasonText},
    {"exception", ParseException, IsFirstParagraph, EndsException},
    {"notebook_head", ParseNotebookHead},
    {"compiler_output", ParseCompilerOutput, PrecedesCompilersError},
    {"user_stack", ParseUserStack},
    {"guard_error", ParseConstraints},
    {"constraints", ParseConstraints},
    {"shape_error", ParseShapeError},
    {"wont_convert", ParseWontConvert},
    {"skipped_frame", ParseSkippedFrame},
    {"cudagraph", ParseCudagraph, IsWrappedHint},
    {"autotune", ParseAutotune, nullptr, BeginsTable},
    {"perf_hint", ParsePerfHint},
    {"warning", ParseWarning, GoesOnBelow},
    {"ignored_mode", ParseIgnoredMode},
    {"torchscript", ParseTorchscript},
    {"xla_profiler", ParseXlaProfiler},
    {"xla_fallback", ParseXlaFallback, ContinuesXlaFallback},
    {"xla_analysis", ParseXlaAnalysis, ContinuesXlaAnalysis},
    {"xla_metric", ParseXlaMetric},
};
static_assert(std::size(kCodes) == static_cast<size_t>(Kind::kXlaMetric) + 1);

constexpr std::string_view kLineClasses[] = {"blank",      "frame",  "deeper", "break",
                                             "break_type", "raised", "all"};

/// The position of `name` in `names`; the last if it is not there.
template <typename Names, typename Projection = std::identity>
size_t IndexOf(std::string_view name, const Names& names, Projection projection = {}) {
  const auto found = std::ranges::find(names, name, projection);
  return static_cast<size_t>(found - std::begin(names));
}

MessageRow ReadRow(const MessageCode& code, simdjson::dom::object json) {
  MessageRow row;
  static_cast<MessageCode&>(row) = code;
  row.kind = static_cast<Kind>(&code - kCodes);
  row.anywhere = JsonTexts(json, "anywhere");
  row.front = JsonTexts(json, "front");
  row.dynamo = JsonTexts(json, "dynamo");
  row.parts = JsonTexts(json, "parts");
  row.from = JsonText(json, "from");
  row.parts_from = JsonTexts(json, "parts_from");
  const std::string_view repeated = JsonText(json, "repeated");
  if (repeated == "all") row.repeated = Repeated::kAll;
  if (repeated == "listed") row.repeated = Repeated::kListed;
  for (const std::string_view name : JsonTexts(json, "classes")) {
    row.classes |= 1U << IndexOf(name, kLineClasses);
  }
  row.lines = JsonTexts(json, "lines");
  row.ends = JsonTexts(json, "ends");
  row.has_break = JsonIsTrue(json, "has_break");
  row.is_one_line = JsonIsTrue(json, "is_one_line");
  row.more = JsonTexts(json, "more");
  for (const std::string_view name : JsonTexts(json, "inside")) {
    row.inside.push_back(static_cast<Kind>(IndexOf(name, kCodes, &MessageCode::name)));
  }
  return row;
}

const std::vector<CompilerError>& CompilerErrors() {
  static const std::vector<CompilerError> errors = [] {
    constexpr std::string_view kForms[] = {"after_class", "either", "alone", "head"};
    std::vector<CompilerError> list;
    for (const auto& row : JsonTextRows(DataTable("messages"), "errors")) {
      list.push_back({row[0], row[1], static_cast<ErrorForm>(IndexOf(row[2], kForms))});
    }
    return list;
  }();
  return errors;
}

}  // namespace

bool IsUnlabelledReason(std::string_view line) {
  line = Trim(line);
  if (BeginsWithAny(line, kUnlabelledReasons)) return true;
  // A sentence of the program may contain "==", too.
  const GuardFailure failure = ParseGuardFailure(line);
  return failure.guard_class < GuardClass::kEmpty && !failure.source.empty() &&
         !HasText(failure.source, " ") && failure.guard == line;
}

bool EndsWithTritonsPlace(std::string_view text) {
  text = TrimRight(text);
  size_t begin = text.size();
  while (begin > 0 && (IsDigit(text[begin - 1]) || text[begin - 1] == ':')) --begin;
  return text.substr(0, begin).ends_with("at ") && Fits("%n:%n:", text.substr(begin));
}

bool NamesCompilersError(std::string_view line) {
  // "x.cpp:3:10: fatal error: omp.h: ...", "x.cpp(3): fatal error C1083: ...", "ld: cannot find
  // -lx", "ptxas fatal   : Value 'sm_110a' is not defined for option 'gpu-name'"
  return HasText(line, "error: ") || HasText(line, ": fatal error ") ||
         HasText(line, " fatal   : ") || HasText(line, ": cannot find -l") ||
         HasText(line, ": library not found for -l") || HasText(line, "ld: library '");
}

bool IsOfCppCompiler(std::string_view line) {
  line = Trim(line);
  size_t file = FindText(line, "torchinductor_");
  if (file == kNotFound) file = FindText(line, "torch/csrc/inductor/");
  if (file == kNotFound) return false;
  const std::string_view first = line.substr(0, line.find(' '));
  if (first.size() > file) return NamesCompilersError(line);
  const std::string_view program = first.substr(first.find_last_of("/\\") + 1);
  return HasText(line, ".cpp") && (BeginsWithAny(program, "g++|gcc|c++|clang|icpx|cl.exe") ||
                                   program == "cl" || program.ends_with("-g++"));
}

const std::vector<MessageRow>& MessageRows() {
  static const std::vector<MessageRow> rows = [] {
    const auto json = JsonObject(DataTable("messages"), "rows");
    std::vector<MessageRow> list;
    for (const MessageCode& code : kCodes) {
      list.push_back(ReadRow(code, *JsonObject(*json, code.name)));
    }
    return list;
  }();
  return rows;
}

const std::vector<std::string>& CompilerErrorWordings() {
  static const std::vector<std::string> wordings = [] {
    std::vector<std::string> list;
    for (const auto& [type, text, form] : CompilerErrors()) {
      const bool needs_class = form == ErrorForm::kAfterClass;
      list.push_back((needs_class ? std::string(type) + ": " : "").append(text));
    }
    return list;
  }();
  return wordings;
}

const CompilerError* FindCompilerError(std::string_view text) {
  if (text.empty()) return nullptr;
  const std::vector<CompilerError>& errors = CompilerErrors();
  const auto found = std::ranges::find_if(errors, [text](const auto& error) {
    return error.text[0] == text[0] && Fits(error.text, text);
  });
  return found == errors.end() ? nullptr : &*found;
}

}  // namespace shapewise
