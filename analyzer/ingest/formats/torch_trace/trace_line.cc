// Reads the prefix and the first key of a trace's lines, by comparing bytes: four lines in five are
// passed over after this.

#include "ingest/formats/torch_trace/trace_line.h"

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Longer paths than this stand in no prefix.
constexpr size_t kMaxPrefix = 512;

// "V1121 04:07:24.693000 ".
constexpr size_t kTimeEnd = 22;

// Thread ids of 2.4 have about 15 digits, process ids at most 7.
constexpr size_t kMinThreadDigits = 12;

struct KnownKey {
  std::string_view key;
  TraceLineKind event;
};

// Every call of trace_structured() in PyTorch 2.4 to 2.15, the most frequent first. Sources:
// torch/_logging/_internal.py, structured.py, torch/_dynamo, torch/_inductor, torch/_functorch,
// torch/fx/experimental/symbolic_shapes.py, torch/_subclasses/meta_utils.py.
constexpr KnownKey kKnownKeys[] = {
    {"chromium_event", TraceLineKind::kPhase},
    {"describe_storage", TraceLineKind::kPassedOver},
    {"describe_tensor", TraceLineKind::kDescribeTensor},
    {"describe_source", TraceLineKind::kDescribeSource},
    {"artifact", TraceLineKind::kArtifact},
    {"str", TraceLineKind::kString},
    {"dynamo_start", TraceLineKind::kDynamoStart},
    {"dynamo_output_graph", TraceLineKind::kGraph},
    {"dynamo_cpp_guards_str", TraceLineKind::kGuardTree},
    {"dynamo_guards", TraceLineKind::kGuardList},
    {"compilation_metrics", TraceLineKind::kMetrics},
    {"bwd_compilation_metrics", TraceLineKind::kBackwardMetrics},
    {"compilation_metrics_runtime", TraceLineKind::kRuntimeMetrics},
    {"bwd_compilation_metrics_runtime", TraceLineKind::kRuntimeMetrics},
    {"create_symbol", TraceLineKind::kCreateSymbol},
    {"create_unbacked_symbol", TraceLineKind::kCreateUnbackedSymbol},
    {"symbolic_shape_specialization", TraceLineKind::kSpecialization},
    {"guard_added_fast", TraceLineKind::kGuardAdded},
    {"guard_added", TraceLineKind::kGuardAdded},
    {"aot_forward_graph", TraceLineKind::kGraph},
    {"aot_backward_graph", TraceLineKind::kGraph},
    {"aot_inference_graph", TraceLineKind::kGraph},
    {"aot_joint_graph", TraceLineKind::kGraph},
    {"inductor_pre_grad_graph", TraceLineKind::kGraph},
    {"inductor_post_grad_graph", TraceLineKind::kGraph},
    {"inductor_output_code", TraceLineKind::kGraph},
    {"compiled_autograd_graph", TraceLineKind::kGraph},
    {"optimize_ddp_split_graph", TraceLineKind::kGraph},
    {"optimize_ddp_split_child", TraceLineKind::kGraph},
    {"graph_dump", TraceLineKind::kGraph},
    {"dump_file", TraceLineKind::kPassedOver},
    {"link", TraceLineKind::kPassedOver},
    {"propagate_real_tensors", TraceLineKind::kPassedOver},
    {"propagate_real_tensors_provenance", TraceLineKind::kPassedOver},
    {"expression_created", TraceLineKind::kPassedOver},
    {"guard_on_data_dependent_error", TraceLineKind::kPassedOver},
    {"mismatched_fake_kernel", TraceLineKind::kPassedOver},
    {"missing_fake_kernel", TraceLineKind::kPassedOver},
    {"exported_program", TraceLineKind::kPassedOver},
    {"export", TraceLineKind::kPassedOver},
    {"stack", TraceLineKind::kReserved},
    {"rank", TraceLineKind::kReserved},
    {"compiled_autograd_id", TraceLineKind::kReserved},
    {"frame_id", TraceLineKind::kReserved},
    {"frame_compile_id", TraceLineKind::kReserved},
    {"attempt", TraceLineKind::kReserved},
    {"has_payload", TraceLineKind::kReserved},
    {"severity", TraceLineKind::kReserved},
    {"timestamp", TraceLineKind::kReserved},
    {"pathname", TraceLineKind::kReserved},
    {"thread", TraceLineKind::kReserved},
};

/// The number of `count` digits at `at`; false if one of them is none.
bool TakeDigits(std::string_view text, size_t at, size_t count, int64_t& value) {
  value = 0;
  for (size_t i = at; i < at + count; ++i) {
    if (!IsDigit(text[i])) return false;
    value = value * 10 + (text[i] - '0');
  }
  return true;
}

/// "V1121 04:07:24.693000 "; the year is not printed.
bool ParseTime(std::string_view line, LogTime& time) {
  if (line.size() < kTimeEnd || line[0] < 'A' || line[0] > 'Z' || line[5] != ' ' ||
      line[8] != ':' || line[11] != ':' || line[14] != '.' || line[21] != ' ') {
    return false;
  }
  int64_t month = 0;
  int64_t day = 0;
  int64_t hours = 0;
  int64_t minutes = 0;
  int64_t seconds = 0;
  int64_t micros = 0;
  if (!TakeDigits(line, 1, 2, month) || !TakeDigits(line, 3, 2, day) ||
      !TakeDigits(line, 6, 2, hours) || !TakeDigits(line, 9, 2, minutes) ||
      !TakeDigits(line, 12, 2, seconds) || !TakeDigits(line, 15, 6, micros)) {
    return false;
  }
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  if (hours > 23 || minutes > 59 || seconds > 60) return false;
  time.month = static_cast<uint8_t>(month);
  time.day = static_cast<uint8_t>(day);
  time.micros = ((hours * 60 + minutes) * 60 + seconds) * 1'000'000 + micros;
  return true;
}

/// `has_payload` is the last key of an envelope; only where it is not, all of it is searched.
bool AnnouncesPayload(std::string_view json) {
  constexpr std::string_view kKey = "\"has_payload\": \"";
  constexpr size_t kTail = kKey.size() + 32 + 2;  // an MD5 in hex, and "\"}"
  if (json.size() >= kTail && json.substr(json.size() - kTail).starts_with(kKey)) return true;
  return HasText(json, "\"has_payload\":");
}

}  // namespace

TraceLineKind TraceEventOfKey(std::string_view key) {
  for (const KnownKey& known : kKnownKeys) {
    if (known.key == key) return known.event;
  }
  return TraceLineKind::kUnknown;
}

bool ParseTraceLine(std::string_view line, TraceLine& parsed) {
  LogTime time;
  if (!ParseTime(line, time)) return false;
  std::string_view rest = TrimLeft(line.substr(kTimeEnd));
  const size_t digits_begin = rest.size();
  const auto process = ConsumeUint(rest);
  if (!process || rest.empty() || rest[0] != ' ') return false;
  const size_t num_digits = digits_begin - rest.size();
  const size_t bracket = rest.substr(0, kMaxPrefix).find("] {\"");
  if (bracket == kNotFound) return false;
  parsed.json = TrimRight(rest.substr(bracket + 2));
  const std::string_view behind = parsed.json.substr(2);
  const size_t quote = behind.substr(0, kMaxPrefix).find('"');
  if (quote == kNotFound) return false;
  parsed.whole = line;
  parsed.time = time;
  parsed.process = num_digits >= kMinThreadDigits ? 0 : *process;
  parsed.key = behind.substr(0, quote);
  parsed.event = TraceEventOfKey(parsed.key);
  parsed.has_payload = AnnouncesPayload(parsed.json);
  return true;
}

}  // namespace shapewise
