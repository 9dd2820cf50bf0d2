// What was called tells nothing of what was compiled: who asks for calls has them read by
// ReadCallRecords. Here they are counted, so that nobody is told that they are no log.

#include <algorithm>

#include "ingest/json_fields.h"
#include "ingest/log_format.h"
#include "shapewise/ingest/call_record_reader.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

class CallRecordCounter final : public LogReader {
 public:
  void OnLines(std::string_view lines, uint64_t /*first_line*/) override {
    while (!lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(std::min(line.size() + 1, lines.size()));
      if (!Trim(line).empty()) ++num_lines_;
    }
  }
  size_t OnPiece(std::string_view piece, uint64_t /*line*/, bool is_first,
                 bool /*is_last*/) override {
    if (is_first) ++num_lines_;
    return piece.size();
  }
  void Finish() override {}
  uint64_t torch_lines() const override { return num_lines_; }

 private:
  uint64_t num_lines_ = 0;
};

/// A first line that names the schema, as recorders head their files. Records without it may
/// also be what a program prints into its log.
bool SniffCallRecords(std::string_view head) {
  const std::string_view line = Trim(head.substr(0, head.find('\n')));
  if (!line.starts_with('{')) return false;
  JsonParser parser;
  simdjson::dom::element json;
  simdjson::dom::object fields;
  return parser.Parse(line, json) && json.get(fields) == simdjson::SUCCESS &&
         JsonText(fields, "schema") == kCallRecordsSchema;
}

}  // namespace

const LogFormat kCallRecordLogFormat{kCallRecordsFormat, SniffCallRecords,
                                     NewLogReader<CallRecordCounter>};

}  // namespace shapewise
