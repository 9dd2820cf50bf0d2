// Recognises the exceptions of torch's compiler, and reads places in code.

#include "ingest/messages/traceback_lines.h"

#include <algorithm>
#include <vector>

#include "ingest/data_tables.h"
#include "ingest/messages/message_rows.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/wording.h"
#include "llvm/ADT/STLExtras.h"
#include "support/literal_set.h"
#include "support/text_scan.h"

namespace shapewise {

namespace {

/// A module whose exceptions are the compiler's own.
struct ExceptionModule {
  std::string_view name;
  bool has_only_exceptions;  ///< false: also plain functions; a capitalised name with a message is
                             ///< an exception
  RecordKind kind = RecordKind::kException;
};

// torch/_dynamo/exc.py, torch/_inductor/exc.py, torch/fx/experimental/symbolic_shapes.py,
// torch/jit/frontend.py; triton/runtime/errors.py, triton/compiler/errors.py.
constexpr ExceptionModule kModules[] = {
    {"torch._dynamo.exc.", true},
    {"torch._inductor.exc.", true},
    {"torch.fx.experimental.symbolic_shapes.", true},
    {"torch.jit.frontend.", true, RecordKind::kTorchscript},
    {"torch._subclasses.fake_tensor.", true},
    {"torch._export.verifier.", true},
    {"torch.utils._sympy.", false},
    {"triton.runtime.errors.", true},
    {"triton.compiler.errors.", true},
    {"torch._inductor.", false},
    {"torch._dynamo.", false},
    {"torch.jit.", false, RecordKind::kTorchscript},
};

bool IsCapital(std::string_view name) { return !name.empty() && name[0] >= 'A' && name[0] <= 'Z'; }

/// Class names end in words that a logger's name does not end in.
bool LooksLikeExceptionClass(std::string_view name) {
  static const Wordings ends = JsonTexts(DataTable("names"), "exception_endings");
  return IsCapital(name) &&
         std::ranges::any_of(ends, [name](std::string_view end) { return name.ends_with(end); });
}

/// "Name: message" or "Name" at the end of the line.
std::optional<AnyException> TakeClassAndMessage(std::string_view text) {
  const std::string_view name = text.substr(
      0, static_cast<size_t>(std::ranges::find_if_not(text, IsWordChar) - text.begin()));
  std::string_view rest = text.substr(name.size());
  const bool ends = Trim(rest).empty();
  if (!ends && (!ConsumeFront(rest, ":") || (!rest.empty() && rest[0] != ' '))) return {};
  return AnyException{name, Trim(rest)};
}

/// Parses "torch._inductor.virtualized.SomeError: message" at `at`, the position of `module`.
/// False: not a raised exception.
bool ReadQualified(std::string_view text, size_t at, const ExceptionModule& module,
                   ExceptionHead& head) {
  std::string_view rest = text.substr(at + module.name.size());
  // More modules may follow.
  for (size_t dot = rest.find('.'); dot != kNotFound; dot = rest.find('.')) {
    const std::string_view name = rest.substr(0, dot);
    if (IsCapital(name) || !std::ranges::all_of(name, IsWordChar)) break;
    rest.remove_prefix(dot + 1);
  }
  const std::optional<AnyException> read = TakeClassAndMessage(rest);
  if (!read || !IsCapital(read->name) ||
      (!module.has_only_exceptions && !LooksLikeExceptionClass(read->name))) {
    return false;
  }
  // Without a message, after other words, it is only mentioned; but crash reports have a field for
  // it.
  const std::string_view before = TrimRight(text.substr(0, at));
  const bool ends_with_name =
      read->message.empty() && !rest.substr(read->name.size()).starts_with(":");
  if (ends_with_name && !before.empty() && !before.ends_with("Type:") &&
      !before.ends_with("Type:**")) {
    return false;
  }
  head = {*read, module.kind, at};
  return true;
}

/// Whether `text` is what Markdown puts before a line or an emphasized text.
bool IsMarkup(std::string_view text) { return text.find_first_not_of("*_#> ") == kNotFound; }

/// Where an exception begins that other code reports: "..., message: FailOnRecompileLimitHit:
/// recompile_limit reached". "Unsupported" may be a word of that code.
size_t FindReportedName(std::string_view text) {
  static const std::span known = BareExceptionNames().subspan(1);
  static const LiteralSet names(std::vector<std::string_view>(known.begin(), known.end()));
  if (!names.Occurs(text)) return kNotFound;
  for (const std::string_view name : known) {
    const size_t at = FindText(text, name);
    if (at == kNotFound || at < 2) continue;
    // The cell of a Markdown table is a report, too.
    const std::string_view before = text.substr(at - 2, 2);
    if ((before == ": " || before == "| ") && text.substr(at + name.size()).starts_with(": ")) {
      return at;
    }
  }
  return kNotFound;
}

}  // namespace

std::optional<AnyException> ParseAnyException(std::string_view text) {
  text = TrimLeft(text);
  const auto end = std::ranges::find_if_not(text, [](char c) { return IsWordChar(c) || c == '.'; });
  const std::string_view last = LastName(text.substr(0, static_cast<size_t>(end - text.begin())));
  if (!LooksLikeExceptionClass(last)) return {};
  return TakeClassAndMessage(text.substr(static_cast<size_t>(last.data() - text.data())));
}

size_t FindAnyException(std::string_view line) {
  if (Indent(line) == 0 && ParseAnyException(line)) return 0;
  // The class of the outermost exception comes first; each of its letters is looked at once.
  for (size_t at = FindText(line, ": "); at != kNotFound; at = FindText(line, ": ", at + 2)) {
    size_t begin = at;
    while (begin > 0 && (IsWordChar(line[begin - 1]) || line[begin - 1] == '.')) --begin;
    const bool follows_label = begin > 1 && line.substr(0, begin).ends_with(": ");
    if (follows_label && ParseAnyException(line.substr(begin))) return begin;
  }
  return kNotFound;
}

size_t CodeSpanEnd(std::string_view text, size_t at) {
  constexpr size_t kMinSpan = 40;
  size_t begin = at;
  while (begin > 0 && text[begin - 1] == '`') --begin;
  const std::string_view marks = text.substr(begin, at - begin);
  if (marks.empty() || marks.size() > 2) return kNotFound;
  // "otherwise, it will throw `...`": nothing ran.
  constexpr size_t kMaxVerb = 40;
  const size_t verb = begin > kMaxVerb ? begin - kMaxVerb : 0;
  const std::string_view before = text.substr(verb, begin - verb);
  for (const std::string_view word : {" will ", " would ", " may ", " might ", " can "}) {
    if (HasText(before, word)) return kNotFound;
  }
  const size_t end = text.find(marks, at);
  return end != kNotFound && end - at >= kMinSpan ? end : kNotFound;
}

std::span<const std::string_view> BareExceptionNames() {
  static const std::vector<std::string_view> names =
      JsonTexts(DataTable("names"), "exception_names");
  return names;
}

ExceptionHead FindExceptionHead(std::string_view text, bool anywhere) {
  ExceptionHead head;
  const size_t front = Indent(text);
  const std::string_view trimmed = text.substr(front);
  static const LiteralSet modules([] {
    std::vector<std::string_view> names;
    for (const ExceptionModule& module : kModules) names.push_back(module.name);
    return names;
  }());
  if (anywhere ? modules.Occurs(text) : trimmed.starts_with('t')) {
    for (const ExceptionModule& module : kModules) {
      size_t at = trimmed.starts_with(module.name) ? front : kNotFound;
      if (at == kNotFound && anywhere) at = FindText(text, module.name);
      if (at == kNotFound) continue;
      // Quoted or in code, it was not raised.
      const bool is_mentioned = at != front && !IsMarkup(text.substr(0, at)) &&
                                (IsWordChar(text[at - 1]) ||
                                 std::string_view("\"'`(.<[{").find(text[at - 1]) != kNotFound);
      const size_t end = CodeSpanEnd(text, at);
      if ((!is_mentioned || end != kNotFound) &&
          ReadQualified(text.substr(0, end), at, module, head)) {
        return head;
      }
    }
  }
  if (anywhere) {
    if (const size_t at = FindReportedName(text); at != kNotFound) {
      if (const auto read = TakeClassAndMessage(text.substr(at))) {
        return {*read, RecordKind::kException, at};
      }
    }
  }
  const CompilerError* known = FindCompilerError(trimmed);
  if (known != nullptr && known->form == ErrorForm::kHead) {
    return {{known->type, Trim(trimmed)}, RecordKind::kException, front};
  }
  if (!IsCapital(trimmed)) return head;
  const std::optional<AnyException> read = TakeClassAndMessage(trimmed);
  if (!read || !trimmed.substr(read->name.size()).starts_with(":")) return head;
  known = FindCompilerError(read->message);
  if ((known != nullptr && known->type == read->name) ||
      llvm::is_contained(BareExceptionNames(), read->name)) {
    return {*read, RecordKind::kException, front};
  }
  return head;
}

std::optional<CodePlace> ParseFrameLine(std::string_view text) {
  text = TrimLeft(text);
  if (!ConsumeFront(text, "File \"")) return {};
  text = TrimRight(text);
  const size_t quote = text.find('"');
  if (quote == kNotFound) return {};
  CodePlace place{text.substr(0, quote), 0, {}};
  // A terminal truncated the end of the name with its quote: this quote opens the next name.
  if (HasText(place.file, ", in ")) return CodePlace();
  text.remove_prefix(quote + 1);
  if (!ConsumeFront(text, ", line ")) return place;
  place.line = ConsumeUint<uint32_t>(text).value_or(0);
  const size_t in = FindText(text, ", in ");
  if (in != kNotFound) {
    place.function = Trim(text.substr(in + 5));
    // Source code that was joined to the line follows the name.
    const bool is_angled = place.function.starts_with('<');
    const size_t end = place.function.find(is_angled ? '>' : ' ');
    if (end != kNotFound) place.function = place.function.substr(0, end + (is_angled ? 1 : 0));
  }
  return place;
}

std::optional<CodePlace> ParseFrameSummary(std::string_view text) {
  const size_t at = FindText(text, "<FrameSummary file ");
  if (at == kNotFound) return {};
  text.remove_prefix(at + 19);
  const size_t line = FindText(text, ", line ");
  if (line == kNotFound) return {};
  CodePlace place{text.substr(0, line), 0, {}};
  text.remove_prefix(line + 7);
  place.line = ConsumeUint<uint32_t>(text).value_or(0);
  ConsumeFront(text, ",");
  if (!ConsumeFront(text, " in ")) return place;
  // "<lambda>>": a name may have angle brackets of its own.
  const size_t end = text.find('>');
  const bool is_angled = text.starts_with('<') && end != kNotFound;
  place.function = text.substr(0, is_angled ? end + 1 : end);
  return place;
}

CodePlace SplitFileLine(std::string_view text, std::string_view* rest) {
  if (rest != nullptr) *rest = {};
  // The line number is the first ":digits" at the end of the text or before a blank, a bracket, a
  // comma or a quote; a Windows drive has a letter before its colon and a backslash after it.
  for (size_t colon = text.find(':'); colon != kNotFound; colon = text.find(':', colon + 1)) {
    size_t end = colon + 1;
    while (end < text.size() && IsDigit(text[end])) ++end;
    if (end == colon + 1) {
      // "train.py:N" in documents: a place without its number.
      if (text.substr(0, colon).ends_with(".py") && text.substr(end).starts_with("N")) {
        if (rest != nullptr) *rest = text.substr(end + 1);
        return CodePlace{text.substr(0, colon), 0, {}};
      }
      continue;
    }
    if (end < text.size() && std::string_view(" \t),'\"]|").find(text[end]) == kNotFound) continue;
    std::string_view digits = text.substr(colon + 1);
    if (rest != nullptr) *rest = text.substr(end);
    return CodePlace{text.substr(0, colon), ConsumeUint<uint32_t>(digits).value_or(0), {}};
  }
  return CodePlace{Trim(text), 0, {}};
}

void ParsedMessage::SetFrame(std::string_view text, EventDetail& detail) {
  text = Trim(text);
  // "<resume in f>" is a name with blanks.
  const size_t name_end = text.starts_with("<resume in ") ? text.find('>') : 0;
  const size_t blank = text.find(' ', name_end == kNotFound ? 0 : name_end);
  detail.function = Intern(text.substr(0, blank));
  if (blank == kNotFound) return;
  text = TrimLeft(text.substr(blank));
  const bool is_bracketed = ConsumeFront(text, "(");
  size_t file_end = FindText(text, " line ");
  std::string_view number;
  if (file_end != kNotFound) {
    number = text.substr(file_end + 6);
  } else if (is_bracketed) {
    file_end = text.find(')');
  } else if (const size_t last = text.rfind(' ');
             last != kNotFound && last + 1 < text.size() && IsDigit(text[last + 1])) {
    file_end = last;
    number = text.substr(last + 1);
  }
  detail.file = Intern(Trim(text.substr(0, file_end)));
  detail.function_line = ConsumeNumber<uint32_t>(number).value_or(0);
}

std::vector<CodePlace> FramesIn(const Record& record, size_t begin, size_t end) {
  std::vector<CodePlace> frames;
  for (size_t i = begin; i < std::min(end, record.num_lines()); ++i) {
    if (const auto frame = ParseFrameLine(record.line(i))) frames.push_back(*frame);
  }
  return frames;
}

CodePlace InnermostFrame(const Record& record, size_t begin, size_t end) {
  const std::vector<CodePlace> frames = FramesIn(record, begin, end);
  return frames.empty() ? CodePlace{} : frames.back();
}

}  // namespace shapewise
