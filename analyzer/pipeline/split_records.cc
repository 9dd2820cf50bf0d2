#include "pipeline/run_page.h"

#include <simdjson.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "ingest/call_record_reader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// A longer first line is not a recorded call.
constexpr size_t kMaxFirstLine = size_t{1} << 20;

/// Keeps the first non-blank line.
class FirstLine final : public LineSink {
 public:
  void OnLines(std::string_view lines, uint64_t /*first_line*/) override {
    while (!is_found_ && !lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(std::min(line.size() + 1, lines.size()));
      if (Trim(line).empty()) continue;
      text_ = line;
      is_found_ = true;
    }
  }
  size_t OnPiece(std::string_view piece, uint64_t /*line*/, bool /*is_first*/,
                 bool /*is_last*/) override {
    is_found_ = true;  // too long
    return piece.size();
  }

  const std::string& text() const { return text_; }

 private:
  bool is_found_ = false;
  std::string text_;
};

/// Whether `path` may be inspected before reading: a pipe can only be read once, and does not have
/// such a name.
bool HasNameOfRecords(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  }
  return path.ends_with(".jsonl") || path.ends_with(".ndjson") || path.ends_with(".json");
}

bool IsCompressed(std::string_view path) { return path.ends_with(".gz") || path.ends_with(".zst"); }

/// The first non-blank line of `path`; empty: unknown.
std::string FirstLineOf(const std::string& path, FileSource& files) {
  if (IsCompressed(path)) {
    FirstLine sink;
    Stats stats;
    TextTotals totals;
    if (Error error = files.Read(path, sink, stats, 0, totals))
      llvm::consumeError(std::move(error));
    return sink.text();
  }
  // Regular files are mapped, so only their start is read.
  Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = files.Open(path);
  if (!buffer) {
    llvm::consumeError(buffer.takeError());
    return {};
  }
  std::string_view text = std::string_view((*buffer)->getBuffer()).substr(0, kMaxFirstLine);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!Trim(line).empty()) return std::string(line);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

}  // namespace

bool IsCallRecordLine(std::string_view line) {
  if (!Trim(line).starts_with('{')) return false;
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  if (parser.parse(line.data(), line.size()).get(json) != simdjson::SUCCESS) return false;
  std::string_view schema;
  if (json["schema"].get_string().get(schema) == simdjson::SUCCESS) {
    return schema == kCallRecordsSchema;
  }
  simdjson::dom::object inputs;
  return json["inputs"].get_object().get(inputs) == simdjson::SUCCESS;
}

SplitInputs SplitRecords(const std::vector<std::string>& paths, FileSource& files) {
  SplitInputs split;
  for (const std::string& given : paths) {
    if (given == "-") {
      split.others.push_back(given);
      continue;
    }
    Expected<std::vector<std::string>> expanded = files.Expand(given);
    if (!expanded) {
      split.unread.push_back(llvm::toString(expanded.takeError()));
      continue;
    }
    std::vector<std::string> others;
    bool has_records = false;
    for (std::string& path : *expanded) {
      const bool is_record = HasNameOfRecords(path) && IsCallRecordLine(FirstLineOf(path, files));
      has_records = has_records || is_record;
      (is_record ? split.records : others).push_back(std::move(path));
    }
    // Keep folders as given: readers process their files together.
    if (!has_records) others = {given};
    for (std::string& path : others) split.others.push_back(std::move(path));
  }
  return split;
}

}  // namespace shapewise
