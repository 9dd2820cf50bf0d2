// CUDA graph messages and the performance hints of Inductor.
//
//   skipping cudagraphs due to mutated inputs (3 instances). Found from :
//      File "/w/t.py", line 90, in mutate
//   CUDAGraph supports dynamic shapes by recording a new graph for each distinct input size. ...
//   Using FallbackKernel: torch.ops.aten.histc.default
//
// Sources: torch/_inductor/cudagraph_utils.py, compile_fx.py, graph.py, utils.py,
// select_algorithm.py, releases 2.0 to 2.13.

#include "ingest/messages/parsers.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// Words of a cudagraph reason and what they amount to; the first that occurs counts.
struct ReasonWords {
  std::string_view words;
  Why why;
};
constexpr ReasonWords kReasonWords[] = {
    {"mutated input", Why::kMutatedInputs},
    {"re-record", Why::kRerecordLimit},
    {"cpu device", Why::kCpuDevice},
    {"non-cuda device", Why::kCpuDevice},
    {"multiple device", Why::kMultipleDevices},
    {"non gpu op", Why::kNonGpuOps},
    {"index put", Why::kIndexPut},
    {"index_put", Why::kIndexPut},
    {"incompatible op", Why::kIncompatibleOp},
    {"control flow", Why::kControlFlow},
    {"symbolic shapes", Why::kDynamicShapes},
    {"dynamic shape", Why::kDynamicShapes},
    {"unbacked", Why::kDynamicShapes},
    {"non-Tensor input", Why::kNonTensorInputs},
    {"cpp wrapper", Why::kCppWrapper},
    {"memory overlap", Why::kAliasing},
    {"alias", Why::kAliasing},
};

Why WhyOfReason(std::string_view reason) {
  Why best = Why::kOther;
  size_t best_at = kNotFound;
  for (const ReasonWords& entry : kReasonWords) {
    const size_t at = FindText(reason, entry.words);
    if (at < best_at) {
      best_at = at;
      best = entry.why;
    }
  }
  return best;
}

/// The number in front of `word`: "(3 instances)", "51 distinct sizes".
std::optional<int64_t> NumberBefore(const Record& record, std::string_view text,
                                    std::string_view word, ParseContext& context) {
  const size_t at = FindText(text, word);
  if (at == kNotFound) return std::nullopt;
  size_t end = at;
  while (end > 0 && text[end - 1] == ' ') --end;
  size_t begin = end;
  while (begin > 0 && IsDigit(text[begin - 1])) --begin;
  std::string_view digits = text.substr(begin, end - begin);
  return context.ConsumeNumber<int64_t>(record, digits);
}

/// "torch._inductor" hints by their words.
PerfHint HintOf(std::string_view text) {
  if (HasText(text, "FallbackKernel")) return PerfHint::kFallbackKernel;
  if (HasText(text, "max_autotune_gemm")) return PerfHint::kNotEnoughSms;
  if (HasText(text, "TensorFloat32")) return PerfHint::kTf32;
  if (HasText(text, "nline softmax")) return PerfHint::kOnlineSoftmax;
  if (HasText(text, "utotune") || HasText(text, "AUTOTUNE")) return PerfHint::kAutotune;
  return PerfHint::kOther;
}

}  // namespace

void ParseCudagraph(const Record& record, ParseContext& context) {
  EventDetail detail;
  detail.kind = EventKind::kCudagraph;
  const std::string_view head = Trim(record.line(0));
  if (head.starts_with("skipping cudagraph")) {
    detail.action = CudagraphAction::kSkip;
    const size_t due = FindText(head, "due to ");
    const std::string_view reason = due == kNotFound ? head : head.substr(due);
    detail.why = WhyOfReason(reason);
    detail.count = NumberBefore(record, head, " instance", context);
  } else if (head.starts_with("CUDAGraph supports dynamic shapes")) {
    detail.action = CudagraphAction::kManySizes;
    detail.count = NumberBefore(record, head, " distinct sizes", context);
  } else if (head.starts_with("recording cudagraph tree") ||
             head.starts_with("Recording cudagraph tree")) {
    detail.action = CudagraphAction::kRecord;
  } else {
    detail.action = CudagraphAction::kPartition;
    if (HasText(head, "due to ")) detail.why = WhyOfReason(head);
    detail.count = NumberBefore(record, head, " partitions", context);
    if (!detail.count) detail.count = NumberBefore(record, head, " graph partitions", context);
  }
  CodePlace place;
  if (InnermostFrame(record, 1, record.num_lines(), place)) context.SetUserPlace(place, detail);
  context.Emit(record, detail, {.message = head, .hash = {}});
}

void ParsePerfHint(const Record& record, ParseContext& context) {
  EventDetail detail;
  detail.kind = EventKind::kPerfHint;
  const std::string_view head = Trim(record.line(0));
  detail.hint = record.kind == RecordKind::kAutotune ? PerfHint::kAutotune : HintOf(head);
  context.Emit(record, detail, {.message = head, .hash = {}});
}

void ParseWarning(const Record& record, ParseContext& context) {
  // "/x/torch/_inductor/compile_fx.py:90: UserWarning: TensorFloat32 tensor cores ...", with the
  // text on the lines below when it begins with a newline.
  std::string_view head = record.line(0);
  const size_t at = FindText(head, "Warning:");
  if (at == kNotFound) return;
  std::string_view text = Trim(head.substr(at + 8));
  if (text.empty() && record.num_lines() > 1) text = Trim(record.line(1));
  EventDetail detail;
  const ChangingTexts texts{.message = text, .hash = {}};
  const auto emit_hint = [&](PerfHint hint) {
    detail.kind = EventKind::kPerfHint;
    detail.hint = hint;
    context.Emit(record, detail, texts);
  };
  const auto emit_mode = [&](Why why) {
    detail.kind = EventKind::kIgnoredMode;
    detail.why = why;
    context.Emit(record, detail, texts);
  };
  if (head.substr(0, at + 7).ends_with("TracerWarning")) {
    detail.kind = EventKind::kTorchscript;
    detail.torchscript_action = TorchscriptAction::kTracerWarning;
    // The place of the warning is the user's line; tqdm bars may be glued in front of it.
    size_t name = at;
    while (name > 0 && IsWordChar(head[name - 1])) --name;
    std::string_view place = Trim(head.substr(0, name));
    if (place.ends_with(":")) place.remove_suffix(1);
    context.SetUserPlace(SplitFileLine(place), detail);
    context.Emit(record, detail, texts);
  } else if (text.starts_with("TensorFloat32 tensor cores")) {
    emit_hint(PerfHint::kTf32);
  } else if (text.starts_with("Online softmax is disabled")) {
    emit_hint(PerfHint::kOnlineSoftmax);
  } else if (HasText(text, "does not support bfloat16 compilation natively") ||
             text.starts_with("Unable to hit fast path of CUDAGraphs")) {
    emit_hint(PerfHint::kOther);
  } else if (text.starts_with("Graph break due to unsupported builtin")) {
    detail.kind = EventKind::kGraphBreak;
    size_t end = FindText(text, ". This function");
    detail.type = context.Intern(text.substr(0, end));
    context.Emit(record, detail, texts);
  } else if (HasText(text, "lru_cache")) {
    emit_mode(Why::kLruCache);
  } else if (HasText(text, "global hooks") || HasText(text, "global module hooks")) {
    emit_mode(Why::kHooks);
  }
}

void ParseIgnoredMode(const Record& record, ParseContext& context) {
  EventDetail detail;
  detail.kind = EventKind::kIgnoredMode;
  const std::string_view head = Trim(record.line(0));
  if (head.starts_with("Profiler ")) {
    // "Profiler function <class '...'> will be ignored"; "Profiler record function" in 2.13.
    detail.why = Why::kProfiler;
  } else {
    detail.why = Why::kHooks;
  }
  context.Emit(record, detail, {.message = head, .hash = {}});
}

}  // namespace shapewise
