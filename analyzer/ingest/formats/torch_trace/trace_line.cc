// Reads the prefix and the first key of a trace's lines, by comparing bytes: four lines in five are
// passed over after this.

#include "ingest/formats/torch_trace/trace_line.h"

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kNone = std::string_view::npos;

// Longer paths than this stand in no prefix.
constexpr size_t kMaxPrefix = 512;

// "V1121 04:07:24.693000 ".
constexpr size_t kTimeEnd = 22;

// Thread ids of 2.4 have about 15 digits, process ids at most 7.
constexpr size_t kMinThreadDigits = 12;

struct KnownKey {
  std::string_view key;
  TraceEvent event;
};

// Every call of trace_structured() in PyTorch 2.4 to 2.15, the most frequent first. Sources:
// torch/_logging/_internal.py, structured.py, torch/_dynamo, torch/_inductor, torch/_functorch,
// torch/fx/experimental/symbolic_shapes.py, torch/_subclasses/meta_utils.py.
constexpr KnownKey kKnownKeys[] = {
    {"chromium_event", TraceEvent::kPhase},
    {"describe_storage", TraceEvent::kPassedOver},
    {"describe_tensor", TraceEvent::kDescribeTensor},
    {"describe_source", TraceEvent::kDescribeSource},
    {"artifact", TraceEvent::kArtifact},
    {"str", TraceEvent::kString},
    {"dynamo_start", TraceEvent::kDynamoStart},
    {"dynamo_output_graph", TraceEvent::kGraph},
    {"dynamo_cpp_guards_str", TraceEvent::kGuardTree},
    {"dynamo_guards", TraceEvent::kGuardList},
    {"compilation_metrics", TraceEvent::kMetrics},
    {"bwd_compilation_metrics", TraceEvent::kBackwardMetrics},
    {"compilation_metrics_runtime", TraceEvent::kRuntimeMetrics},
    {"bwd_compilation_metrics_runtime", TraceEvent::kRuntimeMetrics},
    {"create_symbol", TraceEvent::kCreateSymbol},
    {"create_unbacked_symbol", TraceEvent::kCreateUnbackedSymbol},
    {"symbolic_shape_specialization", TraceEvent::kSpecialization},
    {"guard_added_fast", TraceEvent::kGuardAdded},
    {"guard_added", TraceEvent::kGuardAdded},
    {"aot_forward_graph", TraceEvent::kGraph},
    {"aot_backward_graph", TraceEvent::kGraph},
    {"aot_inference_graph", TraceEvent::kGraph},
    {"aot_joint_graph", TraceEvent::kGraph},
    {"inductor_pre_grad_graph", TraceEvent::kGraph},
    {"inductor_post_grad_graph", TraceEvent::kGraph},
    {"inductor_output_code", TraceEvent::kGraph},
    {"compiled_autograd_graph", TraceEvent::kGraph},
    {"optimize_ddp_split_graph", TraceEvent::kGraph},
    {"optimize_ddp_split_child", TraceEvent::kGraph},
    {"graph_dump", TraceEvent::kGraph},
    {"dump_file", TraceEvent::kPassedOver},
    {"link", TraceEvent::kPassedOver},
    {"propagate_real_tensors", TraceEvent::kPassedOver},
    {"propagate_real_tensors_provenance", TraceEvent::kPassedOver},
    {"expression_created", TraceEvent::kPassedOver},
    {"guard_on_data_dependent_error", TraceEvent::kPassedOver},
    {"mismatched_fake_kernel", TraceEvent::kPassedOver},
    {"missing_fake_kernel", TraceEvent::kPassedOver},
    {"exported_program", TraceEvent::kPassedOver},
    {"export", TraceEvent::kPassedOver},
    {"stack", TraceEvent::kReserved},
    {"rank", TraceEvent::kReserved},
    {"compiled_autograd_id", TraceEvent::kReserved},
    {"frame_id", TraceEvent::kReserved},
    {"frame_compile_id", TraceEvent::kReserved},
    {"attempt", TraceEvent::kReserved},
    {"has_payload", TraceEvent::kReserved},
    {"severity", TraceEvent::kReserved},
    {"timestamp", TraceEvent::kReserved},
    {"pathname", TraceEvent::kReserved},
    {"thread", TraceEvent::kReserved},
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

TraceEvent TraceEventOfKey(std::string_view key) {
  for (const KnownKey& known : kKnownKeys) {
    if (known.key == key) return known.event;
  }
  return TraceEvent::kUnknown;
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
  if (bracket == kNone) return false;
  parsed.json = TrimRight(rest.substr(bracket + 2));
  const std::string_view behind = parsed.json.substr(2);
  const size_t quote = behind.substr(0, kMaxPrefix).find('"');
  if (quote == kNone) return false;
  parsed.whole = line;
  parsed.time = time;
  parsed.process = num_digits >= kMinThreadDigits ? 0 : *process;
  parsed.key = behind.substr(0, quote);
  parsed.event = TraceEventOfKey(parsed.key);
  parsed.has_payload = AnnouncesPayload(parsed.json);
  return true;
}

}  // namespace shapewise
