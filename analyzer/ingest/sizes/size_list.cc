// A JSON list of sizes, on one line or many: "[12, 30, 7]".

#include <optional>

#include "ingest/sizes/size_number.h"
#include "ingest/sizes/size_rows.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

class SizeList final : public SizeFormReader, private LineSink {
 public:
  explicit SizeList(SizeRows& rows) : rows_(rows) {
    rows_.totals.form = SizeForm::kList;
    rows_.totals.columns.emplace_back(kPlainName);
    if (rows_.query.dims() > 1 || !rows_.query.count_column.empty()) {
      rows_.Fail("a JSON list of sizes has no columns");
    }
  }

  LineSink& lines() override { return *this; }

 private:
  void OnLines(std::string_view lines, uint64_t first_line) override {
    for (uint64_t line = first_line; !lines.empty(); ++line) {
      const size_t end = std::min(FindText(lines, "\n"), lines.size());
      OnText(lines.substr(0, end), line);
      EndToken(line);
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool, bool is_last) override {
    OnText(piece, line);
    if (is_last) EndToken(line);
    return piece.size();
  }

  static constexpr size_t kMaxToken = 64;

  void OnText(std::string_view text, uint64_t line) {
    if (!rows_.error.empty()) return;
    for (const char c : text) {
      if (c == ',' || c == '[' || c == ']' || IsBlankChar(c)) {
        EndToken(line);
      } else if (token_.size() < kMaxToken) {
        token_ += c;
      }
    }
  }

  void EndToken(uint64_t line) {
    if (token_.empty()) return;
    uint64_t size = 0;
    const std::string_view why = ParseWholeNumber(token_, uint64_t{kMaxSize}, size);
    token_.clear();
    if (!why.empty()) return rows_.NoteDamage(line, kPlainName, why);
    rows_.Take({static_cast<int64_t>(size), 1, 1}, 1, line);
  }

  SizeRows& rows_;
  std::string token_;
};

}  // namespace

std::unique_ptr<SizeFormReader> NewSizeList(SizeRows& rows) {
  return std::make_unique<SizeList>(rows);
}

}  // namespace shapewise
