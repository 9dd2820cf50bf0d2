#include "ingest/formats/chrome_trace/chrome_trace_reader.h"
#include "ingest/log_format.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// What stands behind the blanks and newlines at the front of `text`.
std::string_view SkipSpace(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// An object with one of the trace format's own keys, or an array of objects with a phase. A
/// training log may begin with a printed dictionary: braces alone tell nothing.
bool SniffChromeTrace(std::string_view head) {
  head = SkipSpace(head);
  if (ConsumeFront(head, "{")) {
    for (const std::string_view key : {"\"traceEvents\"", "\"schemaVersion\"",
                                       "\"baseTimeNanoseconds\"", "\"displayTimeUnit\""}) {
      if (HasText(head, key)) return true;
    }
    return false;
  }
  if (!ConsumeFront(head, "[") || !SkipSpace(head).starts_with('{')) return false;
  return HasText(head, "\"ph\"") && (HasText(head, "\"ts\"") || HasText(head, "\"pid\""));
}

}  // namespace

const LogFormat kChromeTraceFormat{"chrome-trace", SniffChromeTrace,
                                   NewLogReader<ChromeTraceReader>};

}  // namespace shapewise
