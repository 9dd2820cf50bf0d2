// Finds and parses the events of a Chrome trace in a stream of text, and classifies them.

#ifndef SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_TRACE_EVENT_H_
#define SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_TRACE_EVENT_H_

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "llvm/ADT/STLExtras.h"

namespace shapewise {

/// Longer events are skipped: relevant ones are less than a hundredth of this.
inline constexpr size_t kMaxTraceEventBytes = size_t{1} << 18;

/// The fields of one event that the reader uses. Strings are as in the Trace Event Format: without
/// quotes, with escapes resolved in `name`; they live until the next event is parsed.
struct TraceEvent {
  char phase = 0;             ///< 'X' with a duration, 'B' and 'E', 'i' an instant, 'M' metadata
  std::string_view name;      ///< "ProfilerStep#12"
  std::string_view category;  ///< "user_annotation"
  std::string_view process;   ///< "pid" as written, a number or a text
  std::string_view thread;    ///< "tid", in the same form
  double begin_us = 0;        ///< "ts"
  double duration_us = 0;     ///< "dur"; 0: none
  std::string_view arg_name;  ///< "name" of the arguments: of a process, in metadata
  std::string_view arg_labels;
  std::string_view arg_compile_id;
};

/// Finds the objects that are elements of "traceEvents", or of the array that is the whole
/// document, by counting brackets. Memory: one event. Text may be split anywhere between two calls.
///
/// JSON allows no newline inside a string, and profilers break lines between events: a newline ends
/// a string whose closing quote is missing, so that one broken name costs only one event.
class TraceEventScanner {
 public:
  /// Receives each event and the line where it begins. nullptr: it is too long, has a newline
  /// inside a string, is not a JSON object, or its times are not numbers or are absurd (more than a
  /// century of microseconds since the Unix epoch). An event may lack fields.
  using OnEvent = llvm::function_ref<void(TraceEvent* event, uint64_t line)>;

  /// Continues with `text`, whose first byte is on line `line` of the input.
  void Feed(std::string_view text, uint64_t line, OnEvent on_event);

  /// Whether the input ended inside an event.
  bool is_inside_event() const { return is_in_event_; }

  /// "baseTimeNanoseconds": the reference of event times, relative to the Unix epoch.
  std::optional<int64_t> base_time_ns() const { return base_time_ns_; }

  /// "rank" of "distributedInfo"; absent: not in the trace.
  std::optional<int64_t> rank() const { return rank_; }

 private:
  void ReadInText(char c);
  void OpenBracket(char bracket, std::string_view text, size_t at);
  void CloseBracket(std::string_view text, size_t at, OnEvent on_event);
  void EndScalar();
  void KeepEvent(std::string_view text, size_t end);
  void EndEvent(std::string_view text, size_t end, OnEvent on_event);
  bool Parse();
  uint64_t LineAt(std::string_view text, size_t at);

  uint64_t depth_ = 0;
  uint64_t events_depth_ = 0;  ///< of the array with the events; 0: outside of it
  bool is_in_text_ = false;
  bool is_escaped_ = false;
  bool is_in_event_ = false;
  bool is_broken_ = false;  ///< the current event is too long, or one of its strings does not end
  size_t event_begin_ = 0;  ///< in the text of this call
  uint64_t event_line_ = 0;
  std::string event_text_;  ///< the part of the current event read before this call
  std::string key_;         ///< the last string outside of events, truncated
  std::string section_;     ///< the key at depth 1 whose value is being read
  std::string scalar_;      ///< the current number, outside of events
  bool is_in_scalar_ = false;
  uint64_t line_ = 0;   ///< of `counted_`
  size_t counted_ = 0;  ///< bytes of this call's text whose newlines are counted in `line_`
  std::optional<int64_t> base_time_ns_;
  std::optional<int64_t> rank_;
  simdjson::ondemand::parser parser_;
  TraceEvent event_;
};

enum class TraceName : uint8_t {
  kProfilerStep,       ///< "ProfilerStep#12": torch.profiler's own
  kNamedStep,          ///< "step 12", "iteration 12": an annotation of the program, as NVTX ranges
  kCompile,            ///< the whole of a compilation, forward or backward
  kCompilePhase,       ///< a part of one
  kCompileNote,        ///< "dynamo_data: ..., compile_id=0/1": the enclosing compilation
  kCompiledRegion,     ///< "Torch-Compiled Region: 0/1": a run of compiled code
  kCudagraphRecord,    ///< recording or instantiating a CUDA graph
  kCaptureBegin,       ///< the call that begins the capture of a stream
  kCaptureEnd,         ///< the call that ends it
  kGarbageCollection,  ///< Python's collector
  kTorch,              ///< any other event of torch's profiler or compiler
  kOther,              ///< an event of another tool: a sample, a span of another process
};

struct NamedEvent {
  TraceName name = TraceName::kOther;
  int64_t number = -1;            ///< of a step; -1: none
  std::string_view compile_id{};  ///< of a note or a compiled region: "0/1"
};

/// Reads `name` and `category` of an event; views point into `name`.
NamedEvent ReadTraceName(std::string_view name, std::string_view category);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_TRACE_EVENT_H_
