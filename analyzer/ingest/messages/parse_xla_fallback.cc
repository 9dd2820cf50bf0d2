// What PyTorch/XLA's debug mode sums up when a process ends: where operators ran on the CPU.
//
//   pt-xla-profiler: Unlowered Op usage summary (more of these ops, lower performance)
//   pt-xla-profiler: Note: _local_scalar_dense typically indicates CPU context access
//   pt-xla-profiler: ----------------------------------------------------------------------
//   pt-xla-profiler: FRAME (count=12):
//   pt-xla-profiler: Unlowered Op: "xla_cpu_fallback"
//   pt-xla-profiler: Python Frames:
//   pt-xla-profiler:   assign (/srv/app/heads.py:88)
//   pt-xla-profiler:   train (/srv/app/train.py:140)
//
// In the file of PT_XLA_DEBUG_FILE the lines have no "pt-xla-profiler: ".
//
// Since 1.9 one function stands in for all operators that are not lowered, so the summary tells
// only where; which they are stands in the counters of a metrics report.
//
// Sources: pytorch/xla torch_xla/debug/frame_parser_util.py,
// torch_xla/csrc/function_call_tracker.cpp and aten_cpu_fallback.cpp, v2.1 to v2.9.

#include "ingest/messages/parsers.h"
#include "ingest/messages/xla_frame.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// Functions that stand in for whatever operator is not lowered.
bool IsStandIn(std::string_view op) { return op == "xla_cpu_fallback" || op == "xla_fallback"; }

}  // namespace

void ParseXlaFallback(const Record& record, ParseContext& context) {
  EventDetail detail;
  detail.kind = EventKind::kXlaMetric;
  detail.metric = context.Intern("not_lowered");
  bool any = false;
  for (size_t i = 0; i < record.num_lines(); ++i) {
    std::string_view line = TrimLeft(record.line(i));
    ConsumeFront(line, "pt-xla-profiler:");
    std::string_view text = Trim(line);
    if (ConsumeFront(text, "FRAME (count=")) {
      detail.count = context.ConsumeNumber<int64_t>(record, text);
    } else if (ConsumeFront(text, "Unlowered Op: \"")) {
      const std::string_view op = text.substr(0, text.find('"'));
      // A value that Python asked for: the profiler's own list leaves it out as well.
      if (op.ends_with("_local_scalar_dense")) return;
      any = !op.empty();
      if (any && !IsStandIn(op)) detail.ops.push_back(context.Intern(op));
    } else if (CodePlace place; ParseXlaFrame(TrimRight(line), place)) {
      place.function = Trim(place.function);
      AddXlaFrame(place, context, detail);
    }
  }
  if (any) context.Emit(record, detail);
}

}  // namespace shapewise
