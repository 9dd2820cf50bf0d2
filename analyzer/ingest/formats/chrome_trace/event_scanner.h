// Finds the events of a Chrome trace in a stream of text, without reading the JSON around them.

#ifndef SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_EVENT_SCANNER_H_
#define SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_EVENT_SCANNER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "llvm/ADT/STLExtras.h"

namespace shapewise {

/// An event longer than this is passed over: none that matters here has a hundredth of it.
inline constexpr size_t kMaxTraceEventBytes = size_t{1} << 18;

/// What one event looks like to the callback.
struct ScannedEvent {
  std::string_view json;  ///< "{...}", braces included; dies with the call
  uint64_t line = 0;      ///< where it begins
  bool is_whole = true;   ///< false: too long, or a newline inside of a text; `json` is empty
};

/// Counts brackets, and so finds the objects that are elements of "traceEvents", or of the array
/// that is the whole document. Memory: one event. Text may be cut anywhere between two calls.
///
/// JSON allows no newline inside of a text, and profilers break lines between events: a newline
/// ends a text whose closing quote is missing, so that one broken name costs one event.
class EventScanner {
 public:
  using OnEvent = llvm::function_ref<void(const ScannedEvent&)>;

  /// Goes on with `text`, whose first byte is on line `line` of the input.
  void Feed(std::string_view text, uint64_t line, OnEvent on_event);

  /// Whether the input ended inside of an event.
  bool is_inside_event() const { return is_in_event_; }

  /// "baseTimeNanoseconds": what the times of the events are counted from, by the Unix epoch.
  std::optional<int64_t> base_time_ns() const { return base_time_ns_; }

  /// "rank" of "distributedInfo"; absent: the trace names none.
  std::optional<int64_t> rank() const { return rank_; }

 private:
  void ReadInText(char c);
  void OpenBracket(char bracket, std::string_view text, size_t at);
  void CloseBracket(std::string_view text, size_t at, OnEvent on_event);
  void EndScalar();
  void Carry(std::string_view part);
  void EndEvent(std::string_view text, size_t end, OnEvent on_event);
  uint64_t LineAt(std::string_view text, size_t at);

  uint64_t depth_ = 0;
  uint64_t events_depth_ = 0;  ///< of the array that holds the events; 0: not inside of it
  bool is_in_text_ = false;
  bool is_escaped_ = false;
  bool is_in_event_ = false;
  bool is_broken_ = false;   ///< the event under way is too long, or a text of it does not end
  bool is_carried_ = false;  ///< the event under way began in an earlier call
  size_t event_begin_ = 0;   ///< else: where, in the text of this call
  uint64_t event_line_ = 0;
  std::string pending_;  ///< what earlier calls brought of the event under way
  std::string key_;      ///< the text read last outside of events, at most some bytes
  std::string section_;  ///< the key of depth 1 whose value is under way
  std::string scalar_;   ///< the number under way, outside of events
  bool is_in_scalar_ = false;
  uint64_t line_ = 0;   ///< of `counted_`
  size_t counted_ = 0;  ///< bytes of the text of this call whose newlines are in `line_`
  std::optional<int64_t> base_time_ns_;
  std::optional<int64_t> rank_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_EVENT_SCANNER_H_
