// One event of a Chrome trace, as far as anything here looks at it.

#ifndef SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_TRACE_EVENT_H_
#define SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_TRACE_EVENT_H_

#include <memory>
#include <string_view>

namespace shapewise {

/// Fields of one event. Texts are as in Trace Event Format: without quotes, escapes resolved in
/// `name` and the arguments; they live until the next event is parsed.
struct TraceEvent {
  char phase = 0;             ///< 'X' with a duration, 'B' and 'E', 'i' an instant, 'M' metadata
  std::string_view name;      ///< "ProfilerStep#12"
  std::string_view category;  ///< "user_annotation"
  std::string_view process;   ///< "pid" as written, a number or a text
  std::string_view thread;    ///< "tid", likewise
  double begin_us = 0;        ///< "ts"
  double duration_us = 0;     ///< "dur"; 0: none
  std::string_view arg_name;  ///< "name" of the arguments: of a process, in metadata
  std::string_view arg_labels;
  std::string_view arg_compile_id;
};

/// Parses events one by one; its buffers are used again.
class TraceEventParser {
 public:
  TraceEventParser();
  ~TraceEventParser();
  TraceEventParser(const TraceEventParser&) = delete;
  TraceEventParser& operator=(const TraceEventParser&) = delete;

  /// False for text that is no JSON object, or whose times are no numbers or absurd (a century of
  /// microseconds at most, counted from the Unix epoch). A missing field is none of these.
  bool Parse(std::string_view json, TraceEvent& event);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_TRACE_EVENT_H_
