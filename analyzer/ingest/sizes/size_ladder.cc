// A list of sizes: all numbers of a small text, whatever stands between them.

#include <algorithm>
#include <optional>
#include <utility>

#include "ingest/calls/whole_lines.h"
#include "ingest/sizes/size_number.h"
#include "shapewise/ingest/cost_curve_reader.h"
#include "shapewise/model/size_index.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxLadder = size_t{1} << 20;

class LadderLines final : public WholeLines {
 public:
  std::vector<int64_t> sizes;
  std::string error;  // the first

 private:
  void OnLine(std::string_view text, uint64_t line) override {
    if (text.starts_with('#') || !error.empty()) return;
    bool may_be_header = std::exchange(is_first_, false);
    std::string_view unread;
    size_t num_read = 0;
    while (!text.empty()) {
      const size_t end = std::min(text.find_first_of(",;[]() \t"), text.size());
      const std::string_view token = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (token.empty()) continue;
      uint64_t size = 0;
      if (ParseWholeNumber(token, uint64_t{kMaxSize}, size).empty()) {
        sizes.push_back(static_cast<int64_t>(size));
        ++num_read;
      } else {
        unread = token;
        may_be_header &= !IsNumber(token);
      }
    }
    if (!unread.empty() && (num_read > 0 || !may_be_header)) {
      error = "line " + std::to_string(line) + ": '" + std::string(unread.substr(0, 40)) +
              "' is no size";
    }
    if (sizes.size() > kMaxLadder) error = "it holds more than a million sizes";
  }

  void OnTooLong(uint64_t) override { error = "a line is longer than 1 GiB"; }

  bool is_first_ = true;
};

}  // namespace

Expected<std::vector<int64_t>> ReadSizeLadder(const std::string& path, FileSource& files) {
  LadderLines lines;
  Stats stats;
  TextTotals read;
  if (Error error = files.Read(path, lines, stats, 0, read)) return error;
  if (stats.count(Stat::archive_damaged).times > 0) lines.error = "the archive is cut or damaged";
  if (lines.error.empty() && lines.sizes.empty()) {
    lines.error = "no size in it; expected a list of sizes between commas, blanks or newlines";
  }
  if (!lines.error.empty()) return MakeError(path + ": " + lines.error);
  std::ranges::sort(lines.sizes);
  const auto repeated = std::ranges::unique(lines.sizes);
  lines.sizes.erase(repeated.begin(), repeated.end());
  return std::move(lines.sizes);
}

}  // namespace shapewise
