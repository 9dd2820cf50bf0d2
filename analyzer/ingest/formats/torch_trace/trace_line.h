// One line of a structured trace: torch's prefix and the JSON envelope right behind it.
//
//   V1121 04:07:24.693000 23801 torch/_dynamo/guards.py:5400] {"artifact": {"name": ...}, ...}

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TRACE_LINE_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TRACE_LINE_H_

#include <cstdint>
#include <string_view>

#include "shapewise/model/event.h"

namespace shapewise {

/// What an event of a trace is to this reader, as told by its first key.
enum class TraceLineKind : uint8_t {
  kUnknown,          ///< a key that no release up to 2.15 is known to write
  kPassedOver,       ///< known, and nothing is asked of it
  kReserved,         ///< no event but a field of the envelope: the event's key stands further on
  kString,           ///< "str": a text and the number that stands for it from here on
  kDynamoStart,      ///< a compilation begins; the stack that called it
  kMetrics,          ///< "compilation_metrics": it is over; the forward part, or all of it
  kBackwardMetrics,  ///< the backward part is compiled
  kRuntimeMetrics,   ///< autotuning and recording when a compiled graph first ran
  kArtifact,         ///< anything else, by name
  kGuardTree,        ///< "dynamo_cpp_guards_str"
  kGuardList,        ///< "dynamo_guards": what 2.4 to 2.6 had in its stead
  kDescribeTensor,
  kDescribeSource,
  kCreateSymbol,
  kCreateUnbackedSymbol,
  kSpecialization,  ///< "symbolic_shape_specialization"
  kGuardAdded,      ///< "guard_added", "guard_added_fast"
  kGraph,           ///< a graph or generated code: only its place is kept
  kPhase,           ///< "chromium_event"
};

/// The event that `key` names.
TraceLineKind TraceEventOfKey(std::string_view key);

/// A line taken apart. Views point into the line.
struct TraceLine {
  LogTime time;
  uint64_t process = 0;  ///< process id; thread ids (2.4) count as one process: 0
  std::string_view whole;
  std::string_view json;  ///< from its '{' to the end of the line
  std::string_view key;   ///< first key of the JSON
  TraceLineKind event = TraceLineKind::kUnknown;
  bool has_payload = false;  ///< the lines behind it hold a payload
};

/// Takes `line` (without newline) apart; false if it is no line of a trace.
bool ParseTraceLine(std::string_view line, TraceLine& parsed);

/// Whether `line` begins a payload line; all of them begin with a tab, which is no part of it.
inline bool IsPayloadLine(std::string_view line) { return !line.empty() && line[0] == '\t'; }

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_TRACE_TRACE_LINE_H_
