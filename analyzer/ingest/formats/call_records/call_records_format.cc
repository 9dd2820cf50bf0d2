// Call records among logs, as in the folder of a run. They contain nothing about compilations:
// ReadCallRecords reads them for the commands that need calls. Here they are only recognised and
// counted, so that no message calls them unreadable.

#include "ingest/call_record_reader.h"
#include "ingest/json_fields.h"
#include "ingest/log_format.h"
#include "ingest/whole_lines.h"

namespace shapewise {
namespace {

class CallRecordCounter final : public LogReader {
 public:
  CallRecordCounter(Session&, uint32_t) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    ForEachLine(lines, first_line, [&](std::string_view line, uint64_t) {
      if (!Trim(line).empty()) ++num_lines_;
    });
  }
  size_t OnPiece(std::string_view piece, uint64_t, bool is_first, bool) override {
    if (is_first) ++num_lines_;
    return piece.size();
  }
  void Finish() override {}
  uint64_t torch_lines() const override { return num_lines_; }

 private:
  uint64_t num_lines_ = 0;
};

/// A first line with the schema, as recorders write it. Records without it could also be output of
/// a program in its log.
bool SniffCallRecords(std::string_view head) {
  const std::string_view line = Trim(head.substr(0, head.find('\n')));
  JsonParser parser;
  simdjson::dom::object fields;
  return line.starts_with('{') && parser.Parse(line, fields) &&
         JsonText(fields, "schema") == kCallRecordsSchema;
}

}  // namespace

const LogFormat kCallRecordLogFormat{kCallRecordsFormat, SniffCallRecords,
                                     NewLogReader<CallRecordCounter>};

}  // namespace shapewise
