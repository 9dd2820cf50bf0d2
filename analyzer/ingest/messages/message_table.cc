// Every message is described here and nowhere else. Three tables: wordings, what is done with the
// messages they begin, and the marks of lines that begin none. All searches are derived from them.
//
// A prefixed message repeats its whole prefix on every line, so there the question is only whether
// another message begins in the same millisecond. A bare message (no TORCH_LOGS, a custom format, a
// pasted excerpt) ends with the first line that its row has no place for: taking one line too many
// would swallow what comes next, taking one too few loses detail.

#include "ingest/messages/message_table.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

#include "ingest/messages/exception_head.h"
#include "ingest/messages/frame_line.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/wording.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "shapewise/support/literal_set.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using Kind = RecordKind;

/// Which lines with the whole prefix of a message's first line go on with it, unless they begin the
/// next one of its kind.
enum class Repeated : uint8_t {
  kNever,  ///< none: the message has one line
  kAll,    ///< all
  kListed  ///< those that would without a prefix
};

/// Classes of lines that go on with a message.
enum LineClass : uint32_t {
  kBlankLines = 1 << 0,
  kFrameLines = 1 << 1,      ///< `File "x.py", line 3, in f` and the code below
  kIndentedLines = 1 << 2,   ///< with a blank in front
  kDeeperLines = 1 << 3,     ///< further to the right than the first line
  kBreakLines = 1 << 4,      ///< kTextsOfBreaks
  kBreakTypeLines = 1 << 5,  ///< the type of a break, alone on its line
  kRaisedLines = 1 << 6,     ///< an exception after a traceback, which stands as far left as the
                             ///< first line; what follows "backend='inductor' raised:"
  kAllLines = 1 << 7,
  kBreakText =
      kBlankLines | kFrameLines | kDeeperLines | kBreakLines | kBreakTypeLines | kRaisedLines,
};

using LineTest = bool (*)(const Record& record, std::string_view text);

/// One kind of message. Wordings are as ReadWording() takes them, with a '|' between two.
struct MessageRow {
  Kind kind;
  MessageParser parse;
  std::string_view anywhere = {};  ///< begin it, also after other text unless they are quoted there
  std::string_view front = {};     ///< begin it at the front of a line's text
  std::string_view dynamo = {};    ///< the same, only after a prefix of Dynamo's
  std::string_view parts = {};  ///< later lines, which begin a message whose first line is missing;
                                ///< after a prefix, only after one of Dynamo's or with an id
  std::string_view from = {};   ///< an artifact, "__graph_breaks", or part of an emitter:
  std::string_view parts_from = {};  ///< parts that count only from there
  Repeated repeated = Repeated::kNever;
  uint32_t classes = 0;         ///< LineClass: which lines without a prefix go on with it
  std::string_view lines = {};  ///< and which more
  std::string_view ends = {};   ///< none goes on after a line that begins so
  bool has_break = false;       ///< it has the text of a graph break
  bool is_one_line = false;     ///< it has one line, unless that begins with one of `more`
  std::string_view more = {};
  std::initializer_list<Kind> inside = {};  ///< kinds whose first words may begin a line inside
  LineTest takes = nullptr;                 ///< lines that go on with it, too
  LineTest refuses = nullptr;               ///< lines that do not, whatever else is said here
};

/// Whether the message has begun a moment ago: its text is below, up to a blank line.
bool GoesOnBelow(const Record& record, std::string_view text) {
  return record.num_lines_seen() < 8 && !Trim(text).empty();
}

/// The first paragraph of an exception's message.
bool IsFirstParagraph(const Record& record, std::string_view text) {
  return record.num_lines_seen() <= 12 && !record.has_blank_line() &&
         FindMessage(text).kind == Kind::kNone;
}

/// Another exception begins; a debug context may contain a traceback.
bool BeginsException(const Record& record, std::string_view text) {
  const std::string_view trimmed = TrimLeft(text);
  if (trimmed.starts_with("The above exception") || trimmed.starts_with("During handling of")) {
    return true;
  }
  return trimmed.starts_with("Traceback (most") && Indent(text) <= 2 &&
         !record.last_text().starts_with("Developer debug context");
}

bool IsReasonText(const Record& record, std::string_view) {
  return HasText(record.last_text(), "Explanation:");
}

bool IsSecondLine(const Record& record, std::string_view text) {
  return Trim(text).empty() && record.num_lines_seen() < 3;
}

bool BeginsTable(const Record& record, std::string_view text) {
  return record.has_autotune_table() && TrimLeft(text).starts_with("AUTOTUNE ");
}

bool ContinuesXlaAnalysis(const Record& record, std::string_view text) {
  const std::string_view first = record.head();
  const size_t head = FindText(first, "Analysis: ") + 10;
  const std::string_view trimmed = TrimLeft(text);
  if (!trimmed.starts_with(first.substr(0, head))) return false;
  // A ruler of '=' ends the block if one of '-' stands before it, and begins the next otherwise.
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

constexpr std::string_view kLimitLines =
    "function: |reasons: |last reason: |User stack trace:|To log all recompilation reasons|"
    "To diagnose recompilation|to diagnose recompilation";

constexpr std::string_view kReasonLines = "<FrameSummary |Reason: ";

// In the order of RecordKind. Sources: the emitters of PyTorch 2.0 to 2.15: _dynamo/guards.py,
// convert_frame.py, symbolic_convert.py, exc.py, variables/tensor.py, output_graph.py,
// eval_frame.py, _guards.py; _inductor/cudagraph_utils.py, utils.py, graph.py,
// select_algorithm.py, codegen/simd.py; pytorch/xla torch_xla/csrc/debug_util.cpp.
constexpr MessageRow kRows[] = {
    {.kind = Kind::kNone, .parse = nullptr},
    {.kind = Kind::kRecompile,
     .parse = ParseRecompile,
     .anywhere = "Recompiling function |('Recompiling function |"
                 "Detected recompile when torch.compile stance is ",
     .parts = "triggered by the following guard failure|%n/%n: tensor '%*' size mismatch at |"
              "- %n/%n: tensor '%*' size mismatch at ",
     .from = "__recompiles",
     .parts_from = "- %n/%n|- !%n/%n",
     .repeated = Repeated::kListed,
     .classes = kBlankLines | kFrameLines,
     // 2.1 logs a recompile with the stack of the call (stack_info of Python's logging).
     .lines = "triggered by |- |%n/%n: tensor '|%n/%n: L[|%n/%n: %* == |tensor '%*' |"
              "guard %n failures|Stack (most recent call last):"},
    {.kind = Kind::kLimit,
     .parse = ParseLimit,
     .anywhere = "torch._dynamo hit config.|torchdynamo hit recompilation cache limit ",
     .parts = "function: '%*' (%*:|last reason: %w",
     .repeated = Repeated::kAll,
     .classes = kBlankLines | kFrameLines,
     .lines = kLimitLines,
     .ends = "To diagnose recompilation|to diagnose recompilation"},
    {.kind = Kind::kGraphBreak,
     .parse = ParseGraphBreak,
     .anywhere = "Graph break in user code at |Graph break (details suppressed) in user code at |"
                 "Graph break (user stack suppressed|Graph break: ",
     .repeated = Repeated::kAll,
     .classes = kBreakText,
     .has_break = true,
     .inside = {Kind::kBareUnsupported}},
    {.kind = Kind::kItemWarning,
     .parse = ParseItemWarning,
     .anywhere = "Graph break from `Tensor.item()`",
     .from = "variables/tensor.py",
     .parts_from = "torch._dynamo.config.capture_scalar_outputs",
     .repeated = Repeated::kAll,
     .classes = kBreakText,
     .lines = "Graph break: ",
     .has_break = true,
     .inside = {Kind::kGraphBreak}},
    {.kind = Kind::kBreakBlock,
     .parse = ParseBreakBlock,
     .from = "exc",
     .parts_from = "%*exception|%*Adding a graph break",
     .repeated = Repeated::kAll,
     .classes = kBreakText,
     .has_break = true},
    {.kind = Kind::kBreakTail,
     .parse = ParseBreakTail,
     .from = "__graph_breaks",
     .parts_from = "File \"|User code traceback:|Graph Break Reason: |Traceback (most recent",
     .repeated = Repeated::kAll,
     .classes = kBreakText,
     .has_break = true},
    {.kind = Kind::kBareUnsupported,
     .parse = ParseBareUnsupported,
     .front = "can't handle functions not implemented in python|call_function |call_method |"
              "Attempted to call function marked as skipped|torch.* op returned non-Tensor |"
              "inline in skipfiles: |'inline in skipfiles: |'skip function |generic_jump ",
     .classes = kFrameLines | kBreakLines,
     .has_break = true,
     .takes = IsSecondLine},
    {.kind = Kind::kProfilerReport,
     .parse = ParseProfilerReport,
     .anywhere = "Torchdynamo Profiler Report|TorchDynamo Profiler Report",
     .classes = kAllLines,
     .ends = "Set torch._dynamo.config.|%*ecompilations detected",
     .inside = {Kind::kBareUnsupported}},
    {.kind = Kind::kOldExplanation,
     .parse = ParseOldExplanation,
     .anywhere = "Dynamo produced ",
     .classes = kBlankLines | kFrameLines,
     .lines = "Break reasons:|%n. "},
    {.kind = Kind::kBreakReason,
     .parse = ParseBreakReason,
     .front = "Break Reason |GraphCompileReason(reason=|[GraphCompileReason(reason=",
     .repeated = Repeated::kAll,
     .classes = kBlankLines | kBreakLines,
     .lines = kReasonLines,
     .takes = IsReasonText},
    {.kind = Kind::kException,
     .parse = ParseException,
     .anywhere = "AssertionError: Guard failed on the same frame it was created|"
                 "Dynamic control flow is not supported at the moment. Please use ",
     .repeated = Repeated::kAll,
     .classes = kBreakText,
     .lines = "triggered by |- |guard %n failures|Suggested fixes:|Caused by:|"
              "For more information, run with|For extended logs|If you suspect|"
              "For more debugging help|For C++ stack trace|ATTENTION:|User Stack (most recent|"
              "(snipped|The following call raised this error",
     .has_break = true,
     .inside = {Kind::kBareUnsupported},
     .takes = IsFirstParagraph,
     .refuses = BeginsException},
    {.kind = Kind::kGuardError,
     .parse = ParseConstraints,
     .anywhere = "Error while creating guard:",
     .repeated = Repeated::kAll,
     .classes = kBlankLines | kIndentedLines,
     .lines = "- |User stack:|Suggested fixes:|%*ConstraintViolationError|Name: |Traceback (most"},
    {.kind = Kind::kConstraints,
     .parse = ParseConstraints,
     .anywhere = "Constraints violated (",
     .parts = "Not all values of RelaxedUnspecConstraint(",
     .repeated = Repeated::kAll,
     .classes = kBlankLines | kIndentedLines,
     .lines = "- |Not all values of |You marked |User stack:|Suggested fixes:"},
    {.kind = Kind::kWontConvert,
     .parse = ParseWontConvert,
     .anywhere = "WON'T CONVERT ",
     .repeated = Repeated::kAll,
     .classes = kBlankLines | kIndentedLines | kBreakLines | kRaisedLines,
     .lines = "due to:|==========|The above exception"},
    {.kind = Kind::kSkippedFrame,
     .parse = ParseSkippedFrame,
     .anywhere = "Skipping frame because there is a graph break in|skipping because no torch.*|"
                 "torch.compile intentionally decided to skip the frame ",
     .front = "Skipping frame because",
     .dynamo = "skipping: %*(reason: |Skipping frame |Received signal to skip frame ",
     .repeated = Repeated::kAll,
     .lines = "<FrameSummary |Reason: |Frame info: "},
    {.kind = Kind::kCudagraph,
     .parse = ParseCudagraph,
     .anywhere = "skipping cudagraph|CUDAGraph supports dynamic shapes by recording|"
                 "cudagraph partition due to |cudagraph partition into |"
                 "recording cudagraph tree for |Recording cudagraph tree for ",
     .dynamo = "Created %* graph partitions: ",
     .repeated = Repeated::kListed,
     .classes = kFrameLines,
     // The warning of many sizes is one line that people wrap by hand.
     .lines = "input size. Recording too many |Recording too many |We have observed ",
     .is_one_line = true,
     .more = "%*Found from|%*stack trace|CUDAGraph supports dynamic shapes"},
    {.kind = Kind::kAutotune,
     .parse = ParseAutotune,
     .anywhere = "Autotune Choices Stats:|SingleProcess AUTOTUNE |SubProcess AUTOTUNE ",
     .front = "AUTOTUNE ",
     .repeated = Repeated::kListed,
     .lines = "AUTOTUNE |SingleProcess AUTOTUNE|SubProcess AUTOTUNE|{\"num_choices\"|strides: |"
              "dtypes: |%* ms ",
     .ends = "%*AUTOTUNE benchmarking takes|%*AUTOTUNE takes",
     .inside = {Kind::kAutotune},
     .refuses = BeginsTable},
    {.kind = Kind::kPerfHint,
     .parse = ParsePerfHint,
     .anywhere = "Using FallbackKernel: |Not enough SMs to use max_autotune_gemm|"
                 "GPU arch does not support max_autotune_gemm|('Grad tensors |"
                 "reduction over non-contiguous dims|Reduction over non-contiguous dims|"
                 "possibly bad tiling: ",
     .is_one_line = true},
    {.kind = Kind::kWarning,
     .parse = ParseWarning,
     .parts = "TracerWarning: ",
     .is_one_line = true,
     .more = "%*Warning:%$",
     .takes = GoesOnBelow},
    {.kind = Kind::kIgnoredMode,
     .parse = ParseIgnoredMode,
     .anywhere = "nn.Module forward/_pre hooks are only partially supported|"
                 "nn.Module hooks are not fully supported|"
                 "nn.Module state_dict and backward hooks are not yet",
     .front = "Profiler function |Profiler record function ",
     .is_one_line = true},
    {.kind = Kind::kTorchscript, .parse = ParseTorchscript, .classes = kFrameLines},
    {.kind = Kind::kXlaProfiler,
     .parse = ParseXlaProfiler,
     .anywhere = "pt-xla-profiler: ",
     .is_one_line = true},
    {.kind = Kind::kXlaFallback,
     .parse = ParseXlaFallback,
     .anywhere = "pt-xla-profiler: FRAME (count=",
     .front = "FRAME (count=",
     .inside = {Kind::kXlaProfiler, Kind::kXlaFallback},
     .takes = ContinuesXlaFallback},
    {.kind = Kind::kXlaAnalysis,
     .parse = ParseXlaAnalysis,
     .anywhere = "Compilation Analysis: ====|Execution Analysis: ====|"
                 "Post Compilation Analysis: ====|Unexpected Execution Analysis: ====",
     .front = "Compilation Analysis: |Execution Analysis: |Post Compilation Analysis: |"
              "Unexpected Execution Analysis: ",
     .inside = {Kind::kXlaAnalysis},
     .takes = ContinuesXlaAnalysis},
    {.kind = Kind::kXlaMetric,
     .parse = ParseXlaMetric,
     .front = "Metric: |Counter: ",
     .lines = "TotalSamples:|Value:|Accumulator:|ValueRate:|Rate:|Percentiles:|Mean:|StdDev:|"
              // The accumulated time as the documentation prints it, not the next counter.
              "Counter: %n",
     .inside = {Kind::kXlaMetric}},
};
static_assert([] {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].kind != static_cast<Kind>(i)) return false;
  }
  return std::size(kRows) == static_cast<size_t>(Kind::kXlaMetric) + 1;
}());

/// Lines that only a graph break's text has.
constexpr std::string_view kTextsOfBreaks =
    "Graph Break Reason:|Reason: |Explanation:|Hint:|Developer debug context:|"
    "For more details about this graph break|User code traceback:|User Stack:|User stack:|"
    "from user code:|Traceback (most recent call last)|*** While handling this graph break|"
    "Stack variable source attribution|========== most recent|NOTE: the most recent|"
    "Most recent bytecode|TRACE |Higher Order Operator:|The graph break occurred in|"
    "torch.compile will skip|torch._dynamo.config.|env TORCHDYNAMO_|to include these operations|"
    "Set TORCH|You can suppress this exception|import torch._dynamo|Call to `|Called `|or:%$";

/// Those of them that may stand in the middle of a line onto which a message was flattened.
constexpr std::string_view kFlattenedTexts =
    "Graph Break Reason:|User code traceback:|Explanation: |Hint: |Developer debug context:|"
    "For more details about this graph break|from user code:|Set TORCHDYNAMO_VERBOSE|"
    "Set TORCH_LOGS=|File \"";

/// Lines inside of a recompile that no other message has.
constexpr std::string_view kInnerLines =
    "triggered by the following|- User stack|- You marked |- Not all values of |- %n/%n|- !%n/%n";

/// Parts of lines that are read although no wording begins in them: prefixes, links, names of
/// resume functions, lines of limits and guards.
constexpr std::string_view kMarks =
    "torch._|torch/|torch\\|torch.fx.|torch.jit|TorchDynamo|torch_dynamo_resume_in_|"
    "<graph break in |graph break, please visit|  Explanation: |Warning:|hit config.|"
    "To log all recompilation|o diagnose recompilation|' raised:|&#x27; raised:|&#39; raised:|"
    "GUARD_MANAGER|GuardManager: source=| size mismatch at index "
    "|[__graph_breaks]|[__recompiles|[__perf_hints]|] [__g|"
    "] [__r|] [__p|] [__c|] [__a|convert_frame.py";

/// Marks of output of torch's compiler, whatever it says.
constexpr std::string_view kTorchMarks =
    "torch._dynamo|torch._inductor|torch._functorch|torch/_dynamo|torch/_inductor|"
    "torch\\_dynamo|torch\\_inductor|TorchDynamo|torchdynamo|torch_dynamo|GUARD_MANAGER|"
    "GuardManager: source=|torch.fx.experimental";

// No wording that begins a message or a line inside of one is longer.
constexpr size_t kMaxCutStart = 64;

/// Artifacts that print nothing but breaks and recompiles, and the others that are read.
constexpr std::string_view kRecordArtifacts = "graph_breaks%$|recompiles%$|recompiles_verbose%$";
constexpr std::string_view kReadArtifacts =
    "perf_hints%$|cudagraphs%$|fusion%$|not_implemented%$|autotuning%$|benchmarking%$";

constexpr std::string_view kLimitAdvice =
    "To log all recompilation reasons|To diagnose recompilation issues|"
    "to diagnose recompilation issues";

/// Where a wording counts: the members of a row.
enum class Where : uint8_t { kAnywhere, kFront, kDynamo, kPart };

/// One way for a message to begin.
struct MessageHead {
  Kind kind;
  Where where;
  std::string_view text;
  std::string_view from;
};

/// All of them; one that begins like another stands before it.
const std::vector<MessageHead>& MessageHeads() {
  static const std::vector<MessageHead> wordings = [] {
    std::vector<MessageHead> list;
    for (const MessageRow& row : kRows) {
      const auto add = [&](Where where, std::string_view texts, std::string_view from = {}) {
        for (const std::string_view text : SplitWordings(texts)) {
          list.push_back({row.kind, where, text, from});
        }
      };
      add(Where::kAnywhere, row.anywhere);
      add(Where::kFront, row.front);
      add(Where::kDynamo, row.dynamo);
      add(Where::kPart, row.parts);
      add(Where::kPart, row.parts_from, row.from);
    }
    std::ranges::stable_sort(list, std::greater(),
                             [](const MessageHead& w) { return w.text.size(); });
    return list;
  }();
  return wordings;
}

const MessageRow& RowOf(Kind kind) { return kRows[static_cast<size_t>(kind)]; }

bool IsFrameLine(std::string_view text) {
  CodePlace place;
  return ParseFrameLine(text, place);
}

/// Whether the artifact of a line is one of those whose messages say nothing that is read here:
/// most of a debug log.
bool IsUnreadArtifact(std::string_view artifact) {
  return !artifact.empty() && !PrintsOnlyRecords(artifact) &&
         !BeginsWithAny(artifact, kReadArtifacts);
}

/// Whether a line comes from Dynamo. Of a trimmed prefix only the file's name may be left.
bool IsOfDynamo(const MessageSource& source) {
  return source.names_torch || HasText(source.emitter, "convert_frame") ||
         HasText(source.emitter, "eval_frame") || source.emitter.starts_with("exc.py") ||
         source.artifact.starts_with("recompiles");
}

bool IsFrom(const MessageSource& source, std::string_view from) {
  return ConsumeFront(from, "__") ? source.artifact.starts_with(from)
                                  : HasText(source.emitter, from);
}

/// Whether `wording` counts at the front of a line from `source`.
bool Counts(const MessageHead& wording, const MessageSource& source) {
  if (wording.where == Where::kAnywhere || wording.where == Where::kFront) return true;
  if (!wording.from.empty() && !IsFrom(source, wording.from)) return false;
  return IsOfDynamo(source) || (wording.where == Where::kPart && !source.compile_id.empty());
}

/// The kind of the first head that `counts` and stands at the front of `text`.
Kind HeadAtFront(std::string_view text, llvm::function_ref<bool(const MessageHead&)> counts) {
  // Most lines are passed over by their first letter alone.
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
  for (const MessageHead& head : heads[static_cast<unsigned char>(text[0])]) {
    if (counts(head) && Fits(head.text, text)) return head.kind;
  }
  return Kind::kNone;
}

/// The wordings that count anywhere, looked for together: nearly every line has none.
const LiteralSet& AnywhereWordings() {
  static const LiteralSet literals([] {
    std::vector<std::string_view> texts;
    for (const MessageHead& wording : MessageHeads()) {
      if (wording.where == Where::kAnywhere) texts.push_back(wording.text);
    }
    return texts;
  }());
  return literals;
}

/// Quoted in prose or spelled out in code, not printed by torch.compile.
bool IsQuoted(std::string_view text, size_t at, std::string_view quotes = "\"'`(.{%") {
  return at > 0 && (IsWordChar(text[at - 1]) || quotes.find(text[at - 1]) != kNotFound);
}

/// The first wording of those that count anywhere.
MessageStart FindAnywhere(std::string_view text) {
  MessageStart best;
  if (!AnywhereWordings().Occurs(text)) return best;
  for (const MessageHead& wording : MessageHeads()) {
    if (wording.where != Where::kAnywhere) continue;
    const size_t at = FindText(text, wording.text);
    if (at == kNotFound || IsQuoted(text, at)) continue;
    if (best.kind == Kind::kNone || at < best.offset) best = {wording.kind, at};
  }
  return best;
}

/// "/x/torch/_inductor/compile_fx.py:90: UserWarning: ...": Python's warnings module.
bool IsPythonWarning(std::string_view text) {
  const size_t warning = FindText(text, "Warning:");
  return warning != kNotFound && warning > 0 && IsWordChar(text[warning - 1]) &&
         HasText(text.substr(0, warning), ": ");
}

/// The type of a break stands alone on a line: after "... encountered:" and a blank line, or after
/// the line of asterisks that joins two breaks.
bool ExpectsBreakType(const Record& record) {
  if (record.num_lines_seen() < 2 || !record.ends_with_blank_line()) return false;
  const std::string_view before = record.last_text();
  return before.ends_with(":") || before.ends_with("***");
}

bool IsAnyException(std::string_view text) {
  std::string_view name;
  std::string_view message;
  return ParseAnyException(text, name, message);
}

/// Whether a line belongs to one of `classes`.
bool IsOfClass(uint32_t classes, const Record& record, std::string_view text) {
  const std::string_view trimmed = Trim(text);
  const auto has = [classes](LineClass line_class) { return (classes & line_class) != 0; };
  return has(kAllLines) || (has(kBlankLines) && trimmed.empty()) ||
         (has(kIndentedLines) && Indent(text) > 0) ||
         (has(kDeeperLines) && Indent(text) > record.head_indent()) ||
         (has(kBreakLines) && BeginsWithAny(trimmed, kTextsOfBreaks)) ||
         (has(kFrameLines) &&
          (IsFrameLine(text) || (record.ends_with_frame() && Indent(text) >= 2))) ||
         (has(kBreakTypeLines) && ExpectsBreakType(record)) ||
         (has(kRaisedLines) && (record.last_text().ends_with("raised:") ||
                                (record.has_traceback() && IsAnyException(text))));
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
  return std::ranges::any_of(MessageHeads(), [&](const MessageHead& wording) {
    if (wording.kind != record.kind || !Fits(wording.text, trimmed)) return false;
    // A limit without its first line begins with the function.
    if (wording.where == Where::kPart) {
      return wording.kind == Kind::kLimit && trimmed.starts_with("function: ") &&
             record.head().starts_with("function: ");
    }
    return Counts(wording, source);
  });
}

/// Whether `text` begins a message that no record of this kind contains. Exceptions are left to the
/// row: tracebacks end with them.
bool BeginsAnother(const MessageRow& row, std::string_view text) {
  const Kind kind = MessageAtFront(text, {});
  return kind != Kind::kNone && kind != Kind::kException && kind != Kind::kConstraints &&
         std::ranges::find(row.inside, kind) == row.inside.end();
}

/// Whether torch.compile printed `mark` in a line whose prefix has an unknown form.
bool HasUnquoted(std::string_view text, std::string_view mark) {
  const size_t at = FindText(text, mark);
  return at != kNotFound && !IsQuoted(text, at, "\"'`(.");
}

/// "hit config.recompile_limit", whatever the limit is called.
bool NamesLimit(std::string_view text) {
  const std::string_view rest = TextBetween(text, "hit config.", "\n");
  const auto end = std::ranges::find_if_not(rest, IsWordChar);
  return HasText(rest.substr(0, static_cast<size_t>(end - rest.begin())), "limit") &&
         HasUnquoted(text, "hit config.") &&
         (!HasText(text, "torch._dynamo hit config.") ||
          HasUnquoted(text, "torch._dynamo hit config."));
}

}  // namespace

RecordKind MessageAtFront(std::string_view text, const MessageSource& source) {
  if (IsUnreadArtifact(source.artifact)) return Kind::kNone;
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
    best = {exception.kind, exception.offset};
    // config.error_on_recompile raises the text of the recompile record.
    if (exception.message.starts_with("Recompiling function ")) {
      best = {Kind::kRecompile, static_cast<size_t>(exception.message.data() - text.data()),
              /*raised=*/true};
    }
  }
  if (best.kind != Kind::kNone) return best;
  const auto is_part = [](const MessageHead& head) {
    return head.where == Where::kPart && head.from.empty();
  };
  if (const Kind kind = HeadAtFront(trimmed, is_part); kind != Kind::kNone) return {kind, front};
  return {IsPythonWarning(text) ? Kind::kWarning : Kind::kNone, front};
}

bool IsCutMessageStart(std::string_view text) {
  static const std::vector<std::string_view> starts = [] {
    std::vector<std::string_view> texts;
    for (const MessageHead& head : MessageHeads()) {
      if (head.where == Where::kAnywhere) texts.push_back(head.text);
    }
    for (const std::string_view lines : {kInnerLines, kLimitLines}) {
      for (const std::string_view line : SplitWordings(lines)) texts.push_back(HeadOf(line));
    }
    return texts;
  }();
  text = Trim(text);
  return !text.empty() && text.size() < kMaxCutStart &&
         std::ranges::any_of(
             starts,
             [text](std::string_view start) {
               return text.size() < start.size() && start.starts_with(text);
             });
}

bool IsTorchText(std::string_view text) {
  static const LiteralSet marks(SplitWordings(kTorchMarks));
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
  // At the front: elsewhere it is a mention or code.
  text = TrimLeft(text);
  return ConsumeFront(text, "torch._dynamo.exc.") && !text.empty() && text[0] >= 'A' &&
         text[0] <= 'Z';
}

bool PrintsOnlyRecords(std::string_view artifact) {
  return BeginsWithAny(artifact, kRecordArtifacts);
}

bool EndsLimitWarning(std::string_view text) { return BeginsWithAny(TrimLeft(text), kLimitAdvice); }

std::vector<std::string_view> MessageLiterals() {
  std::vector<std::string_view> literals = SplitWordings(kMarks);
  const auto is_covered = [&literals](std::string_view text) {
    return std::ranges::any_of(literals, [text](std::string_view known) {
      return known.size() <= text.size() && HasText(text, known);
    });
  };
  const auto add = [&](std::string_view text) {
    if (text.size() >= LiteralSet::kMinLength && !is_covered(text)) literals.push_back(text);
  };
  for (const std::string_view name : BareExceptionNames()) add(name);
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
  // A line with another id or tag belongs to another message even if it looks alike; a limit's
  // lines are distinctive.
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
  if (BeginsWithAny(text, kInnerLines) || BeginsWithAny(text, kLimitLines) || IsFrameLine(text)) {
    return true;
  }
  // A reason may name such a setting.
  const bool has_reasons = kind == Kind::kRecompile || kind == Kind::kLimit;
  return !has_reasons && BeginsWithAny(text, kTextsOfBreaks);
}

bool HasBreakText(RecordKind kind) { return RowOf(kind).has_break; }

size_t FindFlattenedLine(RecordKind kind, std::string_view text, size_t from) {
  static const LiteralSet words(SplitWordings(kFlattenedTexts));
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
