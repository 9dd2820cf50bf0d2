// All messages are described here. Three tables: wordings, the handling of the messages that begin
// with them, and the marks of lines that begin none. All searches are derived from them.
//
// A prefixed message repeats its whole prefix on every line, so there the only question is whether
// another message begins in the same millisecond. A bare message (no TORCH_LOGS, a custom format, a
// pasted excerpt) ends with the first line that does not match its row: one line too many would
// swallow the next message, one too few loses detail.

#include "ingest/messages/message_rows.h"

#include <algorithm>
#include <iterator>

#include "ingest/messages/exception_head.h"
#include "ingest/messages/fake_run.h"
#include "ingest/messages/frame_line.h"
#include "ingest/messages/message_table.h"
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
  std::string_view name;
  std::string_view message;
  return record.head().starts_with(kGuardsError) && record.inner_error.empty() &&
         record.num_lines_seen() < kMaxLines &&
         !ParseAnyException(record.last_text(), name, message);
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

constexpr std::string_view kReasonLines = "<FrameSummary |Reason: ";

constexpr CompilerError kCompilerErrors[] = {
    {"BackendCompilerFailed", "backend='%*' raised:", ErrorForm::kHead},
    {"CppCompileError", kCppError},
    {"AssertionError", "Guard failed on the same frame it was created", ErrorForm::kEither},
    {"AssertionError", "Guard check failed: "},
    {"AssertionError", "Dynamo only supports FSDP with "},
    {"AssertionError", "Node %*was invalid, but is output"},
    {"AssertionError", "expected size %n==%n, stride %n==%n at dim="},
    {"AssertionError", "Global %*state changed while dynamo tracing"},
    {"AssertionError", "Mutating module attribute %*during export"},
    {"ValueError", "The tensor attribute%*assigned during export"},
    {"RuntimeError", "Constant %*is mutated in the forward method."},
    {"RuntimeError", "Error: accessing tensor output of CUDAGraphs that has been ",
     ErrorForm::kEither},
    {"RuntimeError", "Error: accessing gradient tensor output of CUDAGraphs that has ",
     ErrorForm::kEither},
    {"RuntimeError",
     "accessing tensor output of CUDAGraphs that has been overwritten by a subsequent run",
     ErrorForm::kAlone},
    {"RuntimeError", "TODO: graph recording observed an input tensor deallocate "},
    {"RuntimeError", "static input data pointer changed"},
    {"RuntimeError", "These live storage data ptrs are in the cudagraph pool "},
    {"RuntimeError", "Detected %n tensor(s) in the cudagraph pool not tracked as "},
    {"RuntimeError", "tensor(s) in the cudagraph pool not tracked as outputs", ErrorForm::kAlone},
    {"RuntimeError", "This backward function was compiled with non-empty donated ",
     ErrorForm::kEither},
    {"RuntimeError", "torch.compile with aot_autograd does not currently support ",
     ErrorForm::kEither},
    {"RuntimeError",
     "one of the variables needed for gradient computation has %*of CompiledFunction"},
    {"RuntimeError", "torch.compile with fullgraph=True found no compiled "},
    {"RuntimeError", "Detected that you are using FX to symbolically trace a dynamo",
     ErrorForm::kEither},
    {"RuntimeError", "Detected that you are using FX to torch.jit.trace a dynamo",
     ErrorForm::kEither},
    {"RuntimeError", "torch.compile does not support compiling torch.jit.script or "},
    {"RuntimeError", "Python %*not yet supported for torch.compile"},
    {"RuntimeError", "Cannot access data pointer of Tensor (e.g. FakeTensor"},
    {"RuntimeError", "Dynamo is not supported on Python %n"},
    {"RuntimeError", "torch.compile is not supported on Python %n"},
    {"RuntimeError", "Windows not yet supported for torch.compile"},
    {"RuntimeError", "Cannot find a working triton installation."},
    {"RuntimeError", "GuardManager check failed, reason: "},
    {"RuntimeError", "Error(s) in loading state_dict for OptimizedModule"},
    // A plain module got the state of a compiled one; the line above names only the plain one.
    {"RuntimeError", "Unexpected key(s) in state_dict: %*_orig_mod.", ErrorForm::kHead},
    {"RuntimeError", "torch.compile is not supported on "},
    // Wrong arguments of torch.compile, names of settings: torch/__init__.py,
    // utils/_config_module.py, _logging/_internal.py.
    {"RuntimeError", "Unrecognized mode=%*, should be one of"},
    {"RuntimeError", "Either mode or options can be specified, but both"},
    {"RuntimeError", "Unexpected optimization option "},
    {"RuntimeError", "Unexpected type of attr %*, got %* should be "},
    {"AttributeError", "torch._dynamo.config.%* does not exist"},
    {"AttributeError", "torch._inductor.config.%* does not exist"},
    {"AttributeError", "torch._functorch.config.%* does not exist"},
    {"ValueError", "Invalid log settings: "},
    {"RuntimeError", "It appears that you're trying to get value out of a tracing tensor",
     ErrorForm::kEither},
    {"AssertionError", "fake mode (<%* doesn't match mode (<", ErrorForm::kEither},
    {"AssertionError", "Mixing fake modes NYI"},
    {"AssertionError", "'XBLOCK' too large. Maximum: ", ErrorForm::kEither},
    {"AssertionError", "'YBLOCK' too large. Maximum: ", ErrorForm::kEither},
    {"AssertionError", "'RBLOCK' too large. Maximum: ", ErrorForm::kEither},
    {"AssertionError", "'R0_BLOCK' too large. Maximum: ", ErrorForm::kEither},
    {"RuntimeError", "Encountered aliased inputs that are mutated in the graph"},
    {"RuntimeError", "Found a graph input that requires gradients, and received a mutation"},
    {"RuntimeError", "During the backward, we encountered a tensor subclass where we guessed its",
     ErrorForm::kAlone},
    {"RuntimeError", "Attempting to trace a potentially unsafe C++ autograd function"},
    {"RuntimeError", "compiled_args not implemented: "},
    // Only the frames above show whether Inductor wrote the kernel.
    {"RuntimeError", "Triton Error ["},
    {"ValueError", "Pointer argument %*cannot be accessed from Triton"},
    {"", "failed to eagerly compile backwards for dynamic, suppressing", ErrorForm::kAlone},
    {"", kGuardsError, ErrorForm::kAlone},
    // An assertion of a kernel that Inductor wrote, on a GPU and on the CPU.
    {"", "Assertion `index out of bounds: 0 <= ", ErrorForm::kAlone},
    {"RuntimeError", "index out of bounds: 0 <= "},
    {"", "LLVM ERROR: ", ErrorForm::kAlone},
    {"", "torch.utils.checkpoint: Recomputed values for the following tensors have different",
     ErrorForm::kAlone},
    {"", "torch.utils.checkpoint: A different number of tensors was saved during",
     ErrorForm::kAlone},
    {"TorchRuntimeError", kFailedFakeRun, ErrorForm::kHead},
    {"TorchRuntimeError", "Failed running call_function <", ErrorForm::kHead},
    {"TorchRuntimeError", "Failed running call_method ", ErrorForm::kHead},
    {"TorchRuntimeError", "Failed running call_module ", ErrorForm::kHead},
    {"UserError", "Dynamic control flow is not supported at the moment. Please use ",
     ErrorForm::kAlone},
    {"UserError", "Could not guard on data-dependent expression ", ErrorForm::kAlone},
    {"UserError", "Could not extract specialized integer from data-dependent expression ",
     ErrorForm::kAlone},
    {"FailOnRecompileLimitHit", "recompile_limit reached with %*. Excessive recompilations ",
     ErrorForm::kAlone},
    {"FailOnRecompileLimitHit",
     "accumulated_recompile_limit reached with %*. Excessive recompilations ", ErrorForm::kAlone},
    {"FailOnRecompileLimitHit", "Hard failure due to fullgraph=True%$", ErrorForm::kAlone},
    {"FailOnRecompileLimitHit", "Hard failure due to fail_on_recompile_limit_hit%$",
     ErrorForm::kAlone},
    // Logged before the exception goes on: _inductor/scheduler.py, runtime/triton_heuristics.py.
    {"", "Error in codegen for ", ErrorForm::kAlone},
    {"", "Triton compilation failed: ", ErrorForm::kAlone},
    {"", "Worker failed with error '", ErrorForm::kAlone},
};

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
     .parts = "triggered by the following guard failure|%n/%n: tensor '%* mismatch|"
              "- %n/%n: tensor '%* mismatch|\"%n/%n: tensor '%* mismatch|GuardFail(reason=",
     .from = "__recompiles",
     .parts_from = "- %n/%n|- !%n/%n|- tensor '|- L[",
     .repeated = Repeated::kListed,
     .classes = kBlankLines | kFrameLines,
     // 2.1 logs a recompile with the stack of the call (stack_info of Python's logging).
     .lines = "triggered by |- |%n/%n: tensor '|%n/%n: L[|%n/%n: %* == |tensor '%*' |"
              "guard %n|Stack (most recent call last):"},
    {.kind = Kind::kLimit,
     .parse = ParseLimit,
     .anywhere = "torch._dynamo hit config.|torchdynamo hit config.|"
                 "torchdynamo hit recompilation cache limit ",
     .parts = "function: '%*' (%*:|last reason: %w",
     .repeated = Repeated::kAll,
     .classes = kBlankLines | kFrameLines,
     .lines = kLimitLines,
     .ends = "To diagnose recompilation|to diagnose recompilation",
     .takes = FollowsLimit},
    {.kind = Kind::kGraphBreak,
     .parse = ParseGraphBreak,
     .anywhere = "Graph break in user code at |Graph break (details suppressed) in user code at |"
                 "Graph break (user stack suppressed|Graph break: |"
                 "Backend compiler failed with a fake tensor exception at",
     .repeated = Repeated::kAll,
     .classes = kBreakText,
     .has_break = true,
     .inside = {Kind::kBareUnsupported},
     .takes = IsTypeBelowOpcode},
    {.kind = Kind::kItemWarning,
     .parse = ParseItemWarning,
     .anywhere = "Graph break from `Tensor.item()`,|Graph break from `Tensor.item()`%$",
     .from = "variables/tensor.py",
     .parts_from = "torch._dynamo.config.capture_scalar_outputs|"
                   "env TORCHDYNAMO_CAPTURE_SCALAR_OUTPUTS=1|"
                   "to include these operations in the captured graph",
     .repeated = Repeated::kAll,
     .classes = kBreakText,
     .lines = "Graph break: from user code at",
     .has_break = true},
    {.kind = Kind::kBreakBlock,
     .parse = ParseBreakBlock,
     .from = "exc",
     .parts_from =
         "%*exception|%*Adding a graph break|Explanation:|Hint: |Developer debug context:",
     .repeated = Repeated::kAll,
     .classes = kBreakText,
     .has_break = true},
    {.kind = Kind::kBreakTail,
     .parse = ParseBreakTail,
     .parts = "Graph Break Reason: ",
     .from = "__graph_breaks",
     .parts_from = "File \"|User code traceback:|Graph Break Reason: |Traceback (most recent",
     .repeated = Repeated::kAll,
     .classes = kBreakText,
     .has_break = true,
     .takes = IsTypeBelowOpcode},
    {.kind = Kind::kBareUnsupported,
     .parse = ParseBareUnsupported,
     .front = "can't handle functions not implemented in python|call_function |call_method |"
              "Attempted to call function marked as skipped|torch.* op returned non-Tensor |"
              "inline in skipfiles: |'inline in skipfiles: |'skip function |generic_jump |"
              "HigherOrderOperator: Mutating a variable ",
     .classes = kFrameLines | kBreakLines,
     .has_break = true,
     .takes = IsBlankInBreak},
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
     .anywhere = "GraphCompileReason(reason=",
     .front = "Break Reason |Reason: DDPOptimizer intentional graph-break|reason='%*', "
              "user_stack=[<FrameSummary file |"
              "reason=\"%*\", user_stack=[<FrameSummary file ",
     .repeated = Repeated::kAll,
     .classes = kBlankLines | kBreakLines,
     .lines = kReasonLines,
     .takes = IsReasonText},
    {.kind = Kind::kException,
     .parse = ParseException,
     .repeated = Repeated::kAll,
     .classes = kBreakText,
     .lines = "triggered by |- |guard %n failures|Suggested fixes:|Caused by:|"
              "For more information, run with|For extended logs|If you suspect|"
              "For more debugging help|For C++ stack trace|ATTENTION:|User Stack (most recent|"
              "consider using data-dependent friendly APIs|For more information about this error|"
              "(snipped|The following call raised this error|Potential framework code culprit|"
              "To fix the error|(These suggested fixes|Found from :|While executing |Original "
              "traceback:|Use tlparse",
     .has_break = true,
     .inside = {Kind::kBareUnsupported},
     .takes = IsFirstParagraph,
     .refuses = EndsException},
    {.kind = Kind::kNotebookHead, .parse = ParseNotebookHead, .is_one_line = true},
    {.kind = Kind::kCompilerOutput, .parse = ParseCompilerOutput, .takes = PrecedesCompilersError},
    {.kind = Kind::kUserStack, .parse = ParseUserStack, .classes = kBreakText, .has_break = true},
    {.kind = Kind::kGuardError,
     .parse = ParseConstraints,
     .anywhere = "Error while creating guard:",
     .repeated = Repeated::kAll,
     .classes = kBlankLines | kDeeperLines,
     .lines = "- |User stack:|Suggested fixes:|%*ConstraintViolationError|Name: |Traceback (most|"
              "%*Error: "},
    {.kind = Kind::kConstraints,
     .parse = ParseConstraints,
     .anywhere = "Constraints violated (|Worker failed with error 'Constraints violated|"
                 "Found the following conflicts between user-specified ",
     .parts = "- Received user-specified dim hint |- Received user-specified min/max range of |"
              "Not all values of RelaxedUnspecConstraint(|- Not all values of %* = L[|"
              "- Not all values of RelaxedUnspecConstraint(|- You marked %* as dynamic but your |"
              "- The values of %* = L[%* must always be |"
              "- solving the guards generated for %* resulted in a specialized value of ",
     .repeated = Repeated::kAll,
     .classes = kBlankLines | kDeeperLines,
     .lines = "- |Not all values of |You marked |User stack:|Suggested fixes:"},
    {.kind = Kind::kShapeError,
     .parse = ParseShapeError,
     .anywhere =
         "failed while running evaluate_expr(*(|failed while attempting to run meta for aten.",
     .is_one_line = true},
    {.kind = Kind::kWontConvert,
     .parse = ParseWontConvert,
     .anywhere = "WON'T CONVERT ",
     .repeated = Repeated::kAll,
     .classes = kBlankLines | kDeeperLines | kBreakLines | kRaisedLines,
     .lines = "due to:|==========|The above exception"},
    {.kind = Kind::kSkippedFrame,
     .parse = ParseSkippedFrame,
     .anywhere = "Skipping frame because there is a graph break in|skipping because no torch.*|"
                 "torch.compile intentionally decided to skip the frame |"
                 // Before 2.0, for a graph with an LSTM or a mutation.
                 "Unable to use Aot Autograd because of presence of ",
     .front = "Skipping frame because",
     .dynamo = "skipping: %*(reason: |Skipping frame |Received signal to skip frame ",
     .repeated = Repeated::kAll,
     .lines = "<FrameSummary |Reason: |Frame info: "},
    {.kind = Kind::kCudagraph,
     .parse = ParseCudagraph,
     .anywhere = "skipping cudagraph|CUDAGraph supports dynamic|"
                 "cudagraph partition due to |cudagraph partition into |"
                 "recording cudagraph tree for |Recording cudagraph tree for ",
     .front = "static input data pointer changed|cudagraph managed tensor data pointer changed|"
              "expected dead indices before graph are live",
     .dynamo = "Created %* graph partitions: ",
     .repeated = Repeated::kListed,
     .classes = kBlankLines | kFrameLines,
     .lines = "input name: |...",
     .is_one_line = true,
     .more = "%*Found from|%*stack trace|CUDAGraph supports dynamic|%*data pointer changed",
     .takes = IsWrappedHint},
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
                 "possibly bad tiling: |Runtime error during autotuning:|"
                 "compilation error during autotuning:",
     // Logged as warnings or errors, after which the program goes on.
     .dynamo = "Exception %* for benchmark choice |CUDA compilation error during autotuning|"
               "Failed to benchmark choice |Precompilation timeout after |"
               "Precompilation timed out after |Marking choice as failed due to timeout|"
               "Runtime error for autotuning triton choices|fx graph cache unable to |"
               "fx graph unable to write to cache|AOTAutograd cache unable to |"
               "FxGraphCache unable to |FXGraphCache unable to |AOTAutogradCache unable to |"
               "Failed to pickle cache key|Encountered an exception in identify_mutated_tensors|"
               "Encountered an exception in identify_accessed_tensors|"
               "aten.%* is missing a c-shim implementation|Pred is a Python constant|"
               "Process pool not ready after |Process pool unusable ",
     .is_one_line = true},
    {.kind = Kind::kWarning,
     .parse = ParseWarning,
     .parts = "TracerWarning: |UserWarning: Dynamo |UserWarning: Unable to hit fast path of CUDA|"
              "UserWarning: TensorFloat32 tensor cores |UserWarning: Online softmax is disabled",
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
     .front = "t-xla-profiler: |-xla-profiler: ",
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
     // Copied without the first letters, too.
     .front = "Metric: |etric: |tric: |Counter: |ounter: |unter: |[MetricsData; step=%n]",
     .lines = "TotalSamples:|Value:|Accumulator:|ValueRate:|Rate:|Percentiles:|Mean:|StdDev:|"
              // The accumulated time as in the documentation, not the next counter.
              "Counter: %n",
     .inside = {Kind::kXlaMetric}},
};
static_assert([] {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].kind != static_cast<Kind>(i)) return false;
  }
  return std::size(kRows) == static_cast<size_t>(Kind::kXlaMetric) + 1;
}());

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

llvm::ArrayRef<MessageRow> MessageRows() { return kRows; }

const std::vector<std::string>& CompilerErrorWordings() {
  static const std::vector<std::string> wordings = [] {
    std::vector<std::string> list;
    for (const auto& [type, text, form] : kCompilerErrors) {
      const bool needs_class = form == ErrorForm::kAfterClass;
      list.push_back((needs_class ? std::string(type) + ": " : "").append(text));
    }
    return list;
  }();
  return wordings;
}

const CompilerError* FindCompilerError(std::string_view text) {
  if (text.empty()) return nullptr;
  const auto* const found = std::ranges::find_if(kCompilerErrors, [text](const auto& error) {
    return error.text[0] == text[0] && Fits(error.text, text);
  });
  return found == std::end(kCompilerErrors) ? nullptr : found;
}

}  // namespace shapewise
