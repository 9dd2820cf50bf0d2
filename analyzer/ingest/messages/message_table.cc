// The searches derived from the rows of the table, and the marks of lines that begin no message.

#include "ingest/messages/message_table.h"

#include <algorithm>
#include <array>
#include <functional>

#include "ingest/data_tables.h"
#include "ingest/messages/message_rows.h"
#include "ingest/messages/traceback_lines.h"
#include "ingest/messages/wording.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "model/guard.h"
#include "support/literal_set.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Kind = RecordKind;

/// A list of marks in tables/messages.json.
Wordings Marks(std::string_view name) {
  return JsonTexts(*JsonObject(DataTable("messages"), "marks"), name);
}

/// Lines that only occur in the text of a graph break.
const Wordings& TextsOfBreaks() {
  static const Wordings texts = Marks("texts_of_breaks");
  return texts;
}

/// Lines of an exception that only the compiler prints: they begin the list of the user's code
/// (_dynamo/exc.py, symbolic_shapes.py), or close it.
constexpr std::string_view kUserCodeHeads = "from user code:|User Stack (most recent call last):";
constexpr std::string_view kUserCodeEnds = "Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace";

/// Inner lines that only occur in a recompile.
constexpr std::string_view kInnerLines =
    "triggered by the following|- User stack|- You marked |- Not all values of "
    "|- %n/%n|- !%n/%n";

constexpr std::string_view kLimitAdvice =
    "To log all recompilation reasons|To diagnose recompilation issues|"
    "to diagnose recompilation issues";

/// Where a wording is accepted: the members of a row.
enum class Where : uint8_t { kAnywhere, kFront, kDynamo, kPart };

/// One way for a message to begin.
struct MessageHead {
  Kind kind;
  Where where;
  std::string_view text;
  std::string_view from;
};

/// All of them; if one is the start of another, the longer one comes first.
const std::vector<MessageHead>& MessageHeads() {
  static const std::vector<MessageHead> wordings = [] {
    std::vector<MessageHead> list;
    for (const MessageRow& row : MessageRows()) {
      const auto add = [&](Where where, const Wordings& texts, std::string_view from = {}) {
        for (const std::string_view text : texts) list.push_back({row.kind, where, text, from});
      };
      add(Where::kAnywhere, row.anywhere);
      add(Where::kFront, row.front);
      add(Where::kDynamo, row.dynamo);
      add(Where::kPart, row.parts);
      add(Where::kPart, row.parts_from, row.from);
    }
    for (const std::string& text : CompilerErrorWordings()) {
      list.push_back({Kind::kException, Where::kAnywhere, text, {}});
    }
    std::ranges::stable_sort(list, std::greater(),
                             [](const MessageHead& w) { return w.text.size(); });
    return list;
  }();
  return wordings;
}

const MessageRow& RowOf(Kind kind) { return MessageRows()[static_cast<size_t>(kind)]; }

/// Whether a line comes from Dynamo. Only the file's name may be left of a trimmed prefix.
bool IsOfDynamo(const MessageSource& source) {
  return source.names_torch || HasText(source.emitter, "convert_frame") ||
         HasText(source.emitter, "eval_frame") || source.emitter.starts_with("exc.py") ||
         source.artifact.starts_with("recompiles");
}

bool IsFrom(const MessageSource& source, std::string_view from) {
  return ConsumeFront(from, "__") ? source.artifact.starts_with(from)
                                  : HasText(source.emitter, from);
}

/// Whether `wording` is accepted at the front of a line from `source`.
bool Counts(const MessageHead& wording, const MessageSource& source) {
  if (wording.where == Where::kAnywhere || wording.where == Where::kFront) return true;
  if (!wording.from.empty() && !IsFrom(source, wording.from)) return false;
  return IsOfDynamo(source) || (wording.where == Where::kPart && !source.compile_id.empty());
}

/// The heads that `text` may begin with. The first letter alone rules out most of them.
llvm::ArrayRef<MessageHead> HeadsLike(std::string_view text) {
  static const std::array<std::vector<MessageHead>, 256> heads = [] {
    std::array<std::vector<MessageHead>, 256> by_letter;
    for (const MessageHead& head : MessageHeads()) {
      if (head.text[0] == '%') {
        for (std::vector<MessageHead>& any_letter : by_letter) any_letter.push_back(head);
      } else {
        by_letter[static_cast<unsigned char>(head.text[0])].push_back(head);
      }
    }
    return by_letter;
  }();
  if (text.empty()) return {};
  return heads[static_cast<unsigned char>(text[0])];
}

/// The kind of the first head at the front of `text` that `counts` accepts.
Kind HeadAtFront(std::string_view text, llvm::function_ref<bool(const MessageHead&)> counts) {
  for (const MessageHead& head : HeadsLike(text)) {
    if (counts(head) && Fits(head.text, text)) return head.kind;
  }
  return Kind::kNone;
}

/// The wordings that are accepted anywhere, in one search: nearly every line contains none of them.
const LiteralSet& AnywhereWordings() {
  static const LiteralSet literals([] {
    std::vector<std::string_view> texts;
    for (const MessageHead& wording : MessageHeads()) {
      if (wording.where == Where::kAnywhere) texts.push_back(HeadOf(wording.text));
    }
    return texts;
  }());
  return literals;
}

/// Quoted in prose or part of code, not printed by torch.compile.
bool IsQuoted(std::string_view text, size_t at, std::string_view quotes = "\"'`(.{%") {
  return at > 0 && (IsWordChar(text[at - 1]) || quotes.find(text[at - 1]) != kNotFound);
}

/// Whether `message`, that a limit was hit, is what documentation quotes as an example: with a
/// default value, and without the function.
bool IsExampleOfLimit(std::string_view message) {
  return !HasText(message, "function: '") &&
         (HasText(message, "limit (8)") || HasText(message, ".cache_size_limit (64)") ||
          !message.ends_with(')'));
}

/// Where a quotation that begins at `at` ends, if the words before it report it as seen: "I get
/// `...`", "recompiles because "..."". kNotFound: nothing is quoted, or only an example.
size_t ReportEnd(std::string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && (text[begin - 1] == '`' || text[begin - 1] == '"')) --begin;
  const std::string_view marks = text.substr(begin, at - begin);
  if (marks != "`" && marks != "``" && marks != "\"") return kNotFound;
  constexpr size_t kMaxWords = 40;
  const std::string_view before =
      text.substr(begin - std::min(begin, kMaxWords), std::min(begin, kMaxWords));
  const auto has = [before](std::string_view word) { return HasText(before, word); };
  static const Wordings doubts = Marks("doubts");
  static const Wordings reports = Marks("reports");
  if (std::ranges::any_of(doubts, has) || std::ranges::none_of(reports, has)) return kNotFound;
  return text.find(marks, at);
}

/// The warning about Tensor.item() without its backticks, which a code span cannot have.
constexpr std::string_view kItemInSpan = "Graph break from Tensor.item()";

/// What prose quotes as a whole that a message does not begin with elsewhere: kItemInSpan, or the
/// reason of a recompile, "recompiles because `tensor 'x' size mismatch at index 0. expected 4,
/// actual 8`".
MessageStart FindQuotedText(std::string_view text) {
  if (const size_t at = FindText(text, kItemInSpan); at != kNotFound) {
    const size_t end = ReportEnd(text, at);
    const std::string_view after = text.substr(std::min(at + kItemInSpan.size(), text.size()));
    if (end != kNotFound && BeginsWithAny(after, "`|\"|, consider setting")) {
      return {Kind::kItemWarning, at, /*raised=*/false, end};
    }
  }
  if (!HasText(text, "ecompil")) return {};
  for (size_t at = FindText(text, "tensor '"); at != kNotFound;
       at = FindText(text, "tensor '", at + 1)) {
    constexpr size_t kMaxEntry = 16;  // "12/7: "
    const size_t least = at - std::min(at, kMaxEntry);
    size_t begin = at;
    while (begin > least && std::string_view("`\"").find(text[begin - 1]) == kNotFound) --begin;
    const size_t end = ReportEnd(text, begin);
    if (end == kNotFound || end <= at) continue;
    const std::string_view reason = text.substr(begin, end - begin);
    if (BeginsWithAny(reason, "tensor '|%n/%n: tensor '") &&
        !ParseGuardFailure(reason).actual.empty()) {
      return {Kind::kRecompile, begin, /*raised=*/false, end};
    }
  }
  return {};
}

/// Whether `message`, about a graph break, has a place or the whole text of the break.
bool IsWholeBreak(std::string_view message) {
  constexpr std::string_view kWhole =
      "Graph break in user code at %*.py:%n|Graph break: %*(|Graph break: %* from user code|"
      "Graph break from `Tensor.item()`";
  return BeginsWithAny(message, kWhole);
}

/// Where a quotation in prose, right before `at`, of a whole message of `kind` ends: a Markdown
/// code span, or, for CUDA graphs, the text in quotes after a label or in emphasis. kNotFound:
/// nothing is quoted, or only mentioned.
size_t QuotationEnd(std::string_view text, size_t at, Kind kind) {
  if (kind == Kind::kLimit) {
    const size_t end = CodeSpanEnd(text, at);
    return end == kNotFound || IsExampleOfLimit(text.substr(at, end - at)) ? kNotFound : end;
  }
  if (kind == Kind::kGraphBreak || kind == Kind::kItemWarning) {
    const size_t end = ReportEnd(text, at);
    return end == kNotFound || !IsWholeBreak(text.substr(at, end - at)) ? kNotFound : end;
  }
  if (kind != Kind::kException && kind != Kind::kCudagraph) return kNotFound;
  constexpr size_t kMinLength = 40;
  const bool goes_on_below = at > 0 && text[at - 1] == '`' && text.find('`', at) == kNotFound;
  if (goes_on_below && (kind == Kind::kException || text.size() - at > kMinLength)) {
    return text.size();
  }
  size_t end = CodeSpanEnd(text, at);
  if (kind == Kind::kException) return end;
  if (at > 0 && text[at - 1] == '"') {
    const std::string_view before = text.substr(0, at - 1);
    if (before.ends_with('*') || before.ends_with(": ")) end = text.find('"', at);
  }
  // "(2 instances)", "(arg1_1)".
  return end != kNotFound && HasText(text.substr(at, end - at), " (") ? end : kNotFound;
}

/// Where `wording` begins in `text`; kNotFound: nowhere. What it has in common with other text,
/// "backend='inductor'", may occur before.
size_t PlaceOfWording(std::string_view wording, std::string_view text) {
  const std::string_view head = HeadOf(wording);
  size_t at = FindText(text, head);
  if (head.size() == wording.size()) return at;
  constexpr int kMaxHeads = 8;
  size_t found = kNotFound;
  for (int i = 0; i < kMaxHeads && at != kNotFound; ++i) {
    if (Fits(wording, text.substr(at))) found = at;
    at = FindText(text, head, at + 1);
  }
  return found;
}

/// The first wording that is accepted anywhere.
MessageStart FindAnywhere(std::string_view text) {
  MessageStart best;
  if (!AnywhereWordings().Occurs(text)) return best;
  for (const MessageHead& wording : MessageHeads()) {
    if (wording.where != Where::kAnywhere) continue;
    const size_t at = PlaceOfWording(wording.text, text);
    if (at == kNotFound) continue;
    const size_t end = QuotationEnd(text, at, wording.kind);
    if (end == kNotFound && IsQuoted(text, at)) continue;
    if (best.kind == Kind::kNone || at < best.offset) best = {wording.kind, at, false, end};
  }
  return best;
}

/// "/x/torch/_inductor/compile_fx.py:90: UserWarning: ...": Python's warnings module.
bool IsPythonWarning(std::string_view text) {
  const size_t warning = FindText(text, "Warning:");
  return warning != kNotFound && warning > 0 && IsWordChar(text[warning - 1]) &&
         HasText(text.substr(0, warning), ": ");
}

/// Whether the next line is the type of a break: it is alone on a line, after "... encountered:"
/// and a blank line, or after the line of asterisks that separates two breaks. Blank lines are
/// often lost when people paste.
bool ExpectsBreakType(const Record& record) {
  if (record.num_lines_seen() < 2) return false;
  const std::string_view before = record.last_text();
  return before.ends_with("***") || (before.ends_with(":") && record.ends_with_blank_line());
}

/// "InductorError                             Traceback (most recent call last)" of a notebook.
/// "Unsupported" may be a class of other code.
bool IsNotebookHead(std::string_view text) {
  if (!TrimRight(text).ends_with("   Traceback (most recent call last)")) return false;
  const std::span names = BareExceptionNames().subspan(1);
  text = TrimLeft(text);
  return std::ranges::find(names, text.substr(0, text.find(' '))) != names.end();
}

/// Whether `text` is the code below a place in it, "File "x.py", line 3, in f", where people lost
/// the indentation of all lines.
bool IsUnindentedCode(const Record& record, std::string_view text) {
  const std::string_view last = record.last_line();
  return !Trim(text).empty() && Indent(last) == 0 && ParseFrameLine(last);
}

/// Whether a line belongs to one of `classes`.
bool IsOfClass(uint32_t classes, const Record& record, std::string_view text) {
  const std::string_view trimmed = Trim(text);
  const auto has = [classes](LineClass line_class) { return (classes & line_class) != 0; };
  return has(kAllLines) || (has(kBlankLines) && (trimmed.empty() || IsEllipsis(trimmed))) ||
         (has(kDeeperLines) && Indent(text) > record.margin) ||
         (has(kBreakLines) && (BeginsWithAny(trimmed, TextsOfBreaks()) || IsEllipsis(trimmed))) ||
         (has(kFrameLines) &&
          (ParseFrameLine(text) || (record.ends_with_frame() && Indent(text) >= 2) ||
           IsUnindentedCode(record, text))) ||
         (has(kBreakTypeLines) && ExpectsBreakType(record)) ||
         (has(kRaisedLines) && (record.last_text().ends_with("raised:") ||
                                (record.has_traceback() && ParseAnyException(text))));
}

/// Whether the row of `record` lists the line `text`.
bool IsListed(const MessageRow& row, const Record& record, std::string_view text) {
  if (row.refuses != nullptr && row.refuses(record, text)) return false;
  if (BeginsWithAny(record.last_text(), row.ends)) return false;
  return IsOfClass(row.classes, record, text) || BeginsWithAny(Trim(text), row.lines) ||
         (row.takes != nullptr && row.takes(record, text));
}

/// Whether a line with the prefix of `record` begins the next message of the same kind.
bool BeginsSame(const Record& record, std::string_view trimmed) {
  const MessageSource source{record.emitter, record.compile_id, record.artifact, true};
  return std::ranges::any_of(HeadsLike(trimmed), [&](const MessageHead& wording) {
    if (wording.kind != record.kind) return false;
    // A limit without its first line begins with the function.
    const bool may_begin = wording.where == Where::kPart
                               ? wording.kind == Kind::kLimit &&
                                     trimmed.starts_with("function: ") &&
                                     record.head().starts_with("function: ")
                               : Counts(wording, source);
    return may_begin && Fits(wording.text, trimmed);
  });
}

/// Whether `text` begins a message that no record of this kind contains or lists. Exceptions are
/// left to the row: tracebacks end with them.
bool BeginsAnother(const MessageRow& row, std::string_view text) {
  const Kind kind = MessageAtFront(text, {});
  return kind != Kind::kNone && kind != Kind::kException && kind != Kind::kConstraints &&
         std::ranges::find(row.inside, kind) == row.inside.end() &&
         !BeginsWithAny(TrimLeft(text), row.lines);
}

/// Whether torch.compile printed `mark` in a line whose prefix has an unknown form.
bool HasUnquoted(std::string_view text, std::string_view mark) {
  const size_t at = FindText(text, mark);
  return at != kNotFound && !IsQuoted(text, at, "\"'`(.");
}

/// "hit config.recompile_limit", with any name of a limit.
bool NamesLimit(std::string_view text) {
  const std::string_view rest = TextBetween(text, "hit config.", "\n");
  const auto end = std::ranges::find_if_not(rest, IsWordChar);
  return HasText(rest.substr(0, static_cast<size_t>(end - rest.begin())), "limit") &&
         HasUnquoted(text, "hit config.") &&
         (!HasText(text, "torch._dynamo hit config.") ||
          HasUnquoted(text, "torch._dynamo hit config."));
}

}  // namespace

bool IsEllipsis(std::string_view trimmed) {
  constexpr size_t kMaxLength = 40;
  if (trimmed.empty() || trimmed.size() > kMaxLength) return false;
  const size_t open = std::min(trimmed.find_first_not_of("[(<{-.*~ \xe2\x80\xa6"), trimmed.size());
  const size_t close = trimmed.find_last_not_of("])>}-.*~ \xe2\x80\xa6") + 1;
  if (open >= close) return HasText(trimmed, "..") || HasText(trimmed, "\xe2\x80\xa6");
  const std::string_view words = trimmed.substr(open, close - open);
  return open > 0 && (HasText(words, "snip") || HasText(words, "truncated") ||
                      HasText(words, "omitted") || HasText(words, "skipped"));
}

RecordKind MessageAtFront(std::string_view text, const MessageSource& source) {
  if (!ReadsArtifact(source.artifact)) return Kind::kNone;
  text = TrimLeft(text);
  if (text.size() < 6) return Kind::kNone;
  const Kind kind =
      HeadAtFront(text, [&](const MessageHead& head) { return Counts(head, source); });
  return kind != Kind::kNone ? kind : FindExceptionHead(text, /*anywhere=*/false).kind;
}

MessageStart FindMessage(std::string_view text) {
  const size_t front = Indent(text);
  const std::string_view trimmed = text.substr(front);
  if (trimmed.empty()) return {};
  const auto counts = [](const MessageHead& head) { return Counts(head, {}); };
  if (const Kind kind = HeadAtFront(trimmed, counts); kind != Kind::kNone) return {kind, front};
  MessageStart best = FindAnywhere(text);
  const ExceptionHead exception = FindExceptionHead(text, /*anywhere=*/true);
  if (exception.kind != Kind::kNone &&
      (best.kind == Kind::kNone || exception.offset < best.offset)) {
    best = {exception.kind, exception.offset, false, CodeSpanEnd(text, exception.offset)};
    // config.error_on_recompile raises the text of the recompile record.
    if (exception.message.starts_with("Recompiling function ")) {
      best = {Kind::kRecompile, static_cast<size_t>(exception.message.data() - text.data()),
              /*raised=*/true};
    }
  }
  if (best.kind == Kind::kNone) best = FindQuotedText(text);
  if (best.kind != Kind::kNone) {
    // A page that was joined to one line goes on below the block of code.
    best.end = std::min(best.end, FindText(text, " ```", best.offset));
    return best;
  }
  const auto is_part = [](const MessageHead& head) {
    return head.where == Where::kPart && head.from.empty();
  };
  if (const Kind kind = HeadAtFront(trimmed, is_part); kind != Kind::kNone) return {kind, front};
  if (BeginsWithAny(trimmed, kBareReasons)) return {Kind::kRecompile, front};
  if (IsNotebookHead(text)) return {Kind::kNotebookHead, front};
  if (IsOfCppCompiler(text)) return {Kind::kCompilerOutput, front};
  return {IsPythonWarning(text) ? Kind::kWarning : Kind::kNone, front};
}

bool IsCutMessageStart(std::string_view text) {
  static const std::array<std::vector<std::string_view>, 256> starts = [] {
    std::array<std::vector<std::string_view>, 256> by_letter;
    const auto add = [&](std::string_view wording) {
      const std::string_view start = HeadOf(wording);
      if (!start.empty()) by_letter[static_cast<unsigned char>(start[0])].push_back(start);
    };
    for (const MessageHead& head : MessageHeads()) {
      if (head.where == Where::kAnywhere || head.where == Where::kPart) add(head.text);
    }
    for (const Wordings& lines :
         {SplitWordings(kInnerLines), RowOf(Kind::kLimit).lines, TextsOfBreaks()}) {
      for (const std::string_view line : lines) add(line);
    }
    return by_letter;
  }();
  text = Trim(text);
  if (text.empty()) return false;
  return std::ranges::any_of(starts[static_cast<unsigned char>(text[0])],
                             [text](std::string_view start) {
                               return start.size() > text.size() && start.starts_with(text);
                             });
}

bool IsTorchText(std::string_view text) {
  static const LiteralSet marks(Marks("torch_output"));
  return marks.Occurs(text);
}

bool IsUnknownMessage(std::string_view text, const MessageSource& source) {
  if (PrintsOnlyRecords(source.artifact)) return !Trim(text).empty();
  // Other artifacts print code and guards, which may quote anything.
  if (!source.artifact.empty()) return false;
  if (NamesLimit(text) || HasUnquoted(text, "[__graph_breaks]") ||
      HasUnquoted(text, "[__recompiles]") || HasUnquoted(text, "[__recompiles_verbose]")) {
    return true;
  }
  // Only at the front: elsewhere it is a mention or code.
  text = TrimLeft(text);
  return ConsumeFront(text, "torch._dynamo.exc.") && !text.empty() && text[0] >= 'A' &&
         text[0] <= 'Z';
}

bool PrintsOnlyRecords(std::string_view artifact) {
  return artifact == "graph_breaks" || artifact == "recompiles" || artifact == "recompiles_verbose";
}

// The others are most of a debug log.
bool ReadsArtifact(std::string_view artifact) {
  return artifact.empty() || PrintsOnlyRecords(artifact) ||
         IsOneOf(artifact, {"perf_hints", "cudagraphs", "fusion", "not_implemented", "autotuning",
                            "benchmarking"});
}

bool EndsLimitWarning(std::string_view text) { return BeginsWithAny(TrimLeft(text), kLimitAdvice); }

std::vector<std::string_view> MessageLiterals() {
  Wordings literals = Marks("read_lines");
  // The marks that most wordings with a mark contain.
  const auto is_marked = [](std::string_view text) {
    return HasText(text, "torch._") || HasText(text, "hit config.") || HasText(text, "Warning:");
  };
  const auto add = [&](std::string_view text) {
    if (text.size() >= LiteralSet::kMinLength && !is_marked(text)) literals.push_back(text);
  };
  for (const std::string_view name : BareExceptionNames()) add(name);
  for (const std::string_view texts : {kUserCodeHeads, kUserCodeEnds}) {
    for (const std::string_view text : SplitWordings(texts)) add(text);
  }
  for (const MessageHead& wording : MessageHeads()) {
    if (wording.where != Where::kDynamo && wording.from.empty()) add(HeadOf(wording.text));
  }
  return literals;
}

bool IsOneLine(RecordKind kind, std::string_view text) {
  const MessageRow& row = RowOf(kind);
  return row.is_one_line && !BeginsWithAny(Trim(text), row.more);
}

bool ContinuesPrefixed(const Record& record, std::string_view text, PrefixMatch match) {
  const MessageRow& row = RowOf(record.kind);
  const std::string_view trimmed = TrimLeft(text);
  if (row.repeated == Repeated::kNever || match == PrefixMatch::kOther) return false;
  // A line with another id or tag belongs to another message even if it looks alike; lines of a
  // limit are distinctive.
  if (match == PrefixMatch::kSameId &&
      (record.kind != Kind::kLimit || !BeginsWithAny(trimmed, row.lines))) {
    return false;
  }
  if (BeginsSame(record, trimmed)) return false;
  return row.repeated == Repeated::kAll || IsListed(row, record, text);
}

bool ContinuesBare(const Record& record, std::string_view text) {
  const MessageRow& row = RowOf(record.kind);
  return !TrimLeft(text).starts_with("```") && !BeginsAnother(row, text) &&
         IsListed(row, record, text);
}

bool BeginsInnerLine(RecordKind kind, std::string_view text) {
  text = TrimLeft(text);
  if (BeginsWithAny(text, kInnerLines) || BeginsWithAny(text, RowOf(Kind::kLimit).lines) ||
      ParseFrameLine(text)) {
    return true;
  }
  // A reason may contain the name of such a setting.
  const bool has_reasons = kind == Kind::kRecompile || kind == Kind::kLimit;
  return !has_reasons && BeginsWithAny(text, TextsOfBreaks());
}

bool BeginsUserCode(std::string_view text) { return BeginsWithAny(TrimLeft(text), kUserCodeHeads); }

bool ShowsUserCode(std::string_view text) {
  return BeginsUserCode(text) || BeginsWithAny(TrimLeft(text), kUserCodeEnds);
}

bool HasBreakText(RecordKind kind) { return RowOf(kind).has_break; }

size_t FindFlattenedLine(RecordKind kind, std::string_view text, size_t from) {
  static const LiteralSet words(Marks("flattened_texts"));
  if (!HasBreakText(kind)) return kNotFound;
  size_t at = words.Find(text, from);
  while (at != kNotFound &&
         (at == 0 || !IsBlankChar(text[at - 1]) || Trim(text.substr(0, at)).empty())) {
    at = words.Find(text, at + 1);
  }
  return at;
}

ParsedMessage ParseMessage(const Record& record, StringPool& strings) {
  ParsedMessage parsed(strings);
  const MessageRow& row = RowOf(record.kind);
  if (row.parse != nullptr && record.num_lines() > 0) row.parse(record, parsed);
  return parsed;
}

}  // namespace shapewise
