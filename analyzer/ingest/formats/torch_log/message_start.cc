// The list of message heads, and the search for them.

#include "ingest/formats/torch_log/message_start.h"

#include <array>
#include <vector>

#include "ingest/formats/server_log/server_messages.h"
#include "ingest/formats/torch_log/record_grammar.h"
#include "ingest/messages/exception_head.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// One way for a message to begin.
struct Head {
  std::string_view text;
  RecordKind kind;
  bool anywhere;  ///< distinctive enough to count in the middle of a line
};

// Sources: the emitters of PyTorch 2.0 to 2.13: _dynamo/guards.py, convert_frame.py,
// symbolic_convert.py, exc.py, variables/tensor.py, output_graph.py, eval_frame.py, _guards.py;
// _inductor/cudagraph_utils.py, utils.py, graph.py, select_algorithm.py, codegen/simd.py;
// pytorch/xla torch_xla/csrc/debug_util.cpp. Longer heads stand before their own beginnings.
constexpr Head kHeads[] = {
    {"Recompiling function ", RecordKind::kRecompile, true},
    {"('Recompiling function ", RecordKind::kRecompile, true},
    {"Detected recompile when torch.compile stance is ", RecordKind::kRecompile, true},
    {"torch._dynamo hit config.", RecordKind::kLimit, true},
    {"Graph break from `Tensor.item()`", RecordKind::kItemWarning, true},
    {"Graph break in user code at ", RecordKind::kGraphBreak, true},
    {"Graph break (details suppressed) in user code at ", RecordKind::kGraphBreak, true},
    {"Graph break (user stack suppressed", RecordKind::kGraphBreak, true},
    {"Graph break: ", RecordKind::kGraphBreak, true},
    {"Break Reason ", RecordKind::kBreakReason, false},
    {"Error while creating guard:", RecordKind::kGuardError, true},
    {"Constraints violated (", RecordKind::kConstraints, true},
    {"WON'T CONVERT ", RecordKind::kWontConvert, true},
    {"Skipping frame because there is a graph break in", RecordKind::kSkippedFrame, true},
    {"Skipping frame because", RecordKind::kSkippedFrame, false},
    {"skipping because no torch.*", RecordKind::kSkippedFrame, true},
    {"torch.compile intentionally decided to skip the frame ", RecordKind::kSkippedFrame, true},
    {"skipping cudagraph", RecordKind::kCudagraph, true},
    {"CUDAGraph supports dynamic shapes by recording", RecordKind::kCudagraph, true},
    {"cudagraph partition due to ", RecordKind::kCudagraph, true},
    {"cudagraph partition into ", RecordKind::kCudagraph, true},
    {"recording cudagraph tree for ", RecordKind::kCudagraph, true},
    {"Recording cudagraph tree for ", RecordKind::kCudagraph, true},
    {"Autotune Choices Stats:", RecordKind::kAutotune, true},
    {"AUTOTUNE ", RecordKind::kAutotune, false},
    {"SingleProcess AUTOTUNE ", RecordKind::kAutotune, true},
    {"SubProcess AUTOTUNE ", RecordKind::kAutotune, true},
    {"Using FallbackKernel: ", RecordKind::kPerfHint, true},
    {"Not enough SMs to use max_autotune_gemm", RecordKind::kPerfHint, true},
    {"GPU arch does not support max_autotune_gemm", RecordKind::kPerfHint, true},
    {"('Grad tensors ", RecordKind::kPerfHint, true},
    {"reduction over non-contiguous dims", RecordKind::kPerfHint, true},
    {"Reduction over non-contiguous dims", RecordKind::kPerfHint, true},
    {"possibly bad tiling: ", RecordKind::kPerfHint, true},
    {"Profiler function ", RecordKind::kIgnoredMode, false},
    {"Profiler record function ", RecordKind::kIgnoredMode, false},
    {"nn.Module forward/_pre hooks are only partially supported", RecordKind::kIgnoredMode, true},
    {"nn.Module hooks are not fully supported", RecordKind::kIgnoredMode, true},
    {"nn.Module state_dict and backward hooks are not yet", RecordKind::kIgnoredMode, true},
    {"pt-xla-profiler: FRAME (count=", RecordKind::kXlaFallback, true},
    {"pt-xla-profiler: ", RecordKind::kXlaProfiler, true},
    {"FRAME (count=", RecordKind::kXlaFallback, false},
    {"Compilation Analysis: ====", RecordKind::kXlaAnalysis, true},
    {"Execution Analysis: ====", RecordKind::kXlaAnalysis, true},
    {"Compilation Analysis: ", RecordKind::kXlaAnalysis, false},
    {"Execution Analysis: ", RecordKind::kXlaAnalysis, false},
    {"Unexpected Execution Analysis: ", RecordKind::kXlaAnalysis, false},
    {"Post Compilation Analysis: ", RecordKind::kXlaAnalysis, false},
    {"Torchdynamo Profiler Report", RecordKind::kProfilerReport, true},
    {"TorchDynamo Profiler Report", RecordKind::kProfilerReport, true},
    {"Dynamo produced ", RecordKind::kOldExplanation, true},
    {"can't handle functions not implemented in python", RecordKind::kBareUnsupported, false},
    {"call_function ", RecordKind::kBareUnsupported, false},
    {"call_method ", RecordKind::kBareUnsupported, false},
    {"Attempted to call function marked as skipped", RecordKind::kBareUnsupported, false},
    {"torch.* op returned non-Tensor ", RecordKind::kBareUnsupported, false},
    {"inline in skipfiles: ", RecordKind::kBareUnsupported, false},
    {"'inline in skipfiles: ", RecordKind::kBareUnsupported, false},
    {"'skip function ", RecordKind::kBareUnsupported, false},
    {"generic_jump ", RecordKind::kBareUnsupported, false},
    {"Metric: ", RecordKind::kXlaMetric, false},
    {"Counter: ", RecordKind::kXlaMetric, false},
};

/// The heads that count anywhere, looked for together: nearly every line has none.
const LiteralSet& AnywhereHeads() {
  static const LiteralSet literals([] {
    std::vector<std::string_view> texts;
    for (const Head& head : kHeads) {
      if (head.anywhere) texts.push_back(head.text);
    }
    return texts;
  }());
  return literals;
}

/// Whether some message begins with `c`: most lines are passed over by this alone.
bool MayBeginMessage(char c) {
  static const std::array<bool, 256> initials = [] {
    std::array<bool, 256> table{};
    for (const Head& head : kHeads) table[static_cast<unsigned char>(head.text[0])] = true;
    return table;
  }();
  return initials[static_cast<unsigned char>(c)];
}

/// A head in the middle of a line counts only if it is not being quoted or spelled out in code.
bool IsQuoted(std::string_view text, size_t at) {
  if (at == 0) return false;
  const char before = text[at - 1];
  // "Post Compilation Analysis" and "Unexpected Execution Analysis" are other messages.
  if (text.substr(0, at).ends_with("Post ") || text.substr(0, at).ends_with("Unexpected ")) {
    return true;
  }
  return IsWordChar(before) || std::string_view("\"'`(.{%").find(before) != kNotFound;
}

/// Artifacts whose messages say nothing that is read here: most of a debug log.
bool IsUnreadArtifact(std::string_view artifact) {
  if (artifact.empty()) return false;
  if (artifact == "guards" || artifact == "graph_code") return true;  // the bulk of a debug log
  for (const std::string_view read :
       {"recompiles", "recompiles_verbose", "graph_breaks", "perf_hints", "cudagraphs", "fusion",
        "not_implemented", "autotuning", "benchmarking"}) {
    if (artifact == read) return false;
  }
  return true;
}

/// A line of a limit warning that only such a warning has. Its first line was left out.
bool BeginsLimitPart(std::string_view text) {
  if (ConsumeFront(text, "function: '")) {
    const size_t close = text.find("' (");
    return close != kNotFound && HasText(text.substr(close), ":");
  }
  return ConsumeFront(text, "last reason: ") && !Trim(text).empty();
}

/// Heads that are too common to be read without torch's own prefix in front.
RecordKind PrefixedOnly(std::string_view text, const LogPrefix& prefix) {
  // Of a trimmed prefix only the file's name may be left.
  const bool is_dynamo = prefix.names_torch || HasText(prefix.emitter, "convert_frame") ||
                         HasText(prefix.emitter, "eval_frame") ||
                         prefix.emitter.starts_with("exc.py") ||
                         prefix.artifact.starts_with("recompiles");
  const bool is_limit_line = BeginsLimitPart(text);
  if (is_limit_line && (is_dynamo || !prefix.compile_id.empty())) return RecordKind::kLimit;
  if (!is_dynamo) return RecordKind::kNone;
  if (text.starts_with("skipping: ") && HasText(text, "(reason: ")) {
    return RecordKind::kSkippedFrame;
  }
  if (text.starts_with("Skipping frame ")) return RecordKind::kSkippedFrame;
  // The first line of the record was cut away.
  if (prefix.artifact.starts_with("recompiles") &&
      (text.starts_with("triggered by the following guard failure") || IsEntryBullet(text))) {
    return RecordKind::kRecompile;
  }
  if (prefix.artifact == "graph_breaks" &&
      (text.starts_with("File \"") || text.starts_with("User code traceback:") ||
       text.starts_with("Graph Break Reason: ") || text.starts_with("Traceback (most recent"))) {
    return RecordKind::kBreakTail;
  }
  if (text.starts_with("Created ") && HasText(text, " graph partitions: ")) {
    return RecordKind::kCudagraph;
  }
  // A record whose first line was cut away.
  if (HasText(prefix.emitter, "variables/tensor.py") &&
      text.starts_with("torch._dynamo.config.capture_scalar_outputs")) {
    return RecordKind::kItemWarning;
  }
  // Warnings that print a break's text without a head: the first line is its type.
  const bool is_exc = HasText(prefix.emitter, "exc.py") || prefix.emitter == "torch._dynamo.exc";
  if (is_exc && !text.empty() &&
      (text == "Backend compiler exception" || HasText(text, "exception") ||
       HasText(text, "Adding a graph break"))) {
    return RecordKind::kBreakBlock;
  }
  return RecordKind::kNone;
}

}  // namespace

RecordKind MessageAtFront(std::string_view text, const LogPrefix& prefix) {
  if (IsUnreadArtifact(prefix.artifact)) return RecordKind::kNone;
  text = TrimLeft(text);
  if (text.size() < 6) return RecordKind::kNone;
  if (MayBeginMessage(text[0])) {
    for (const Head& head : kHeads) {
      if (text[0] == head.text[0] && text.starts_with(head.text)) return head.kind;
    }
  }
  if (const RecordKind kind = PrefixedOnly(text, prefix); kind != RecordKind::kNone) return kind;
  return FindExceptionHead(text, /*anywhere=*/false).kind;
}

MessageStart FindMessage(std::string_view text) {
  if (Trim(text).empty()) return {};
  const size_t front = Indent(text);
  const std::string_view trimmed = text.substr(front);
  for (const Head& head : kHeads) {
    if (trimmed.starts_with(head.text)) return {head.kind, front};
  }
  MessageStart best;
  if (AnywhereHeads().Occurs(text)) {
    for (const Head& head : kHeads) {
      if (!head.anywhere) continue;
      const size_t at = FindText(text, head.text);
      if (at == kNotFound || IsQuoted(text, at)) continue;
      if (best.kind == RecordKind::kNone || at < best.offset) best = {head.kind, at};
    }
  }
  const ExceptionHead exception = FindExceptionHead(text, /*anywhere=*/true);
  if (exception.kind != RecordKind::kNone &&
      (best.kind == RecordKind::kNone || exception.offset < best.offset)) {
    best = {exception.kind, exception.offset};
    // config.error_on_recompile raises the text of the recompile record.
    if (exception.message.starts_with("Recompiling function ")) {
      best = {RecordKind::kRecompile, static_cast<size_t>(exception.message.data() - text.data()),
              /*raised=*/true};
    }
  }
  if (best.kind != RecordKind::kNone) return best;
  if (BeginsLimitPart(trimmed)) return {RecordKind::kLimit, front};
  // "/x/torch/_inductor/compile_fx.py:90: UserWarning: ...": Python's warnings module.
  if (trimmed.starts_with("TracerWarning: ")) return {RecordKind::kWarning, front};
  const size_t warning = FindText(text, "Warning:");
  if (warning != kNotFound && warning > 0 && IsWordChar(text[warning - 1]) &&
      HasText(text.substr(0, warning), ": ")) {
    return {RecordKind::kWarning, front};
  }
  return {};
}

bool IsCutMessageStart(std::string_view text) {
  text = Trim(text);
  if (text.empty()) return false;
  for (const Head& head : kHeads) {
    if (text[0] == head.text[0] && head.anywhere && text.size() < head.text.size() &&
        head.text.starts_with(text)) {
      return true;
    }
  }
  return false;
}

bool IsTorchText(std::string_view text) {
  static const LiteralSet marks(
      {"torch._dynamo", "torch._inductor", "torch._functorch", "torch/_dynamo", "torch/_inductor",
       "torch\\_dynamo", "torch\\_inductor", "TorchDynamo", "torchdynamo", "torch_dynamo",
       "GUARD_MANAGER", "GuardManager: source=", "torch.fx.experimental"});
  return marks.Occurs(text);
}

const LiteralSet& TorchLiterals() {
  // Made at first use: building the table costs some microseconds that --version need not pay.
  static const LiteralSet literals([] {
    std::vector<std::string_view> all = {
        "torch._",
        "torch/",
        "torch\\",
        "torch.fx.",
        "torch.jit",
        "torch.compile stance",
        "torch.compile intentionally",
        "torch_dynamo_resume_in_",
        "<graph break in ",
        "Recompiling function",
        "Graph break",
        "graph break, please visit",
        "Break Reason ",
        "  Explanation: ",
        "cudagraph",
        "CUDAGraph",
        "Warning:",
        "AUTOTUNE",
        "Autotune Choices",
        "Compilation Analysis: ",
        "Execution Analysis: ",
        "pt-xla-profiler: ",
        "FRAME (count=",
        "Metric: ",
        "Counter: ",
        "TorchDynamo",
        "Unsupported: ",
        "hit config.",
        "To log all recompilation",
        "o diagnose recompilation",
        "[__graph_breaks]",
        "[__recompiles",
        "' raised:",
        "&#x27; raised:",
        "&#39; raised:",
        "BackendCompilerFailed",
        "InternalTorchDynamoError",
        "TorchRuntimeError",
        "ConstraintViolation",
        "Constraints violated",
        "GuardOnDataDependentSymNode",
        "LoweringException",
        "InductorError",
        "RecompileLimitHit",
        "RecompileError",
        "Error while creating guard",
        "WON'T CONVERT",
        "Skipping frame",
        "skipping because no torch",
        "Using FallbackKernel",
        "Not enough SMs to use",
        "GPU arch does not",
        "Grad tensors [",
        "eduction over non-contig",
        "possibly bad tiling",
        "Profiler function",
        "Profiler record function",
        "GUARD_MANAGER",
        "GuardManager: source=",
        "hooks are only partially",
        "hooks are not fully",
        "hooks are not yet supported",
        "] [__g",
        "] [__r",
        "] [__p",
        "] [__c",
        "] [__a",
        "[__perf_hints]",
        "convert_frame.py",
        "last reason: ",
        "function: '",
        "Profiler Report",
        "Dynamo produced ",
        "can't handle functions",
        "call_function ",
        "call_method ",
        "op returned non-Tensor",
        "marked as skipped",
        "inline in skipfiles",
        "'skip function ",
        "generic_jump ",
    };
    for (const std::string_view literal : ServerLiterals()) all.push_back(literal);
    return all;
  }());
  return literals;
}

}  // namespace shapewise
