// Which form an input has is told by its first line that is not blank; then one reader has it.

#include "shapewise/ingest/size_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ingest/calls/whole_lines.h"
#include "ingest/json_fields.h"
#include "ingest/sizes/number_lines.h"
#include "ingest/sizes/server_log_sizes.h"
#include "ingest/sizes/size_number.h"
#include "ingest/sizes/size_rows.h"
#include "ingest/sizes/table_row.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kExpected =
    "a size a line, a table with a header (csv, tsv), a histogram 'length,count', JSON lines, call "
    "records, a log of vLLM or SGLang, or what shapewise lint --format json --events prints";

/// Something that TORCH_LOGS or TORCH_TRACE wrote is in `text`: "[0/1] [__recompiles]", or a line
/// that begins with "V1121 04:12:15.119000 4231".
bool HasTorchLog(std::string_view text) {
  if (HasText(text, "] [__")) return true;
  return text.size() > 14 && HasText("VDIWEC", text.substr(0, 1)) &&
         std::all_of(text.begin() + 1, text.begin() + 5, IsDigit) && text[5] == ' ' &&
         text[8] == ':' && text[11] == ':';
}

class SizeSniffer final : public LineSink {
 public:
  explicit SizeSniffer(SizeRows& rows) : rows_(rows) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    Watch(lines);
    if (reader_ != nullptr) return Pass(lines, first_line);
    while (!lines.empty() && reader_ == nullptr) {
      const size_t end = std::min(FindText(lines, "\n"), lines.size());
      const std::string_view text = lines.substr(0, end);
      const bool is_header = Decide(text);
      if (reader_ != nullptr) CheckForm();
      if (reader_ != nullptr && !is_header) break;
      lines.remove_prefix(std::min(end + 1, lines.size()));
      ++first_line;
    }
    if (!lines.empty()) Pass(lines, first_line);
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    // A list may be one line of any length; other long lines are told whole.
    if (reader_ == nullptr && is_first && Trim(piece).starts_with('[')) {
      Decide(piece);
      CheckForm();
    }
    if (reader_ != nullptr) return reader_->lines().OnPiece(piece, line, is_first, is_last);
    if (is_first) long_line_.clear();
    if (long_line_.size() + piece.size() <= WholeLines::kMaxBytes) {
      long_line_ += piece;
    } else {
      rows_.Fail("its first line is longer than 1 GiB");
    }
    if (!is_last) return piece.size();
    const bool is_header = Decide(long_line_);
    if (reader_ != nullptr) CheckForm();
    if (reader_ != nullptr && !is_header) Pass(long_line_, line);
    long_line_ = std::string();
    return piece.size();
  }

  void Finish() {
    if (reader_ != nullptr && rows_.error.empty()) reader_->Finish();
    if (is_torch_log_ && !is_json_ && rows_.totals.lines.records == 0) {
      rows_.error =
          "it is a log of torch.compile, not sizes; sizes are in what lint makes of it: shapewise "
          "lint --format json --events RUN | shapewise buckets -";
    }
  }

 private:
  void Pass(std::string_view lines, uint64_t first_line) {
    if (rows_.error.empty()) reader_->lines().OnLines(lines, first_line);
  }

  /// Looks for a log, as long as nothing else is found.
  void Watch(std::string_view lines) {
    if (rows_.totals.lines.records > 0 || is_json_ || is_torch_log_) return;
    while (!lines.empty()) {
      const size_t end = std::min(FindText(lines, "\n"), lines.size());
      if (HasTorchLog(lines.substr(0, end))) is_torch_log_ = true;
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
  }

  void CheckForm() {
    const bool has_sources =
        rows_.totals.form == SizeForm::kCallRecords || rows_.totals.form == SizeForm::kLintResult;
    if (has_sources && !rows_.query.columns.empty()) {
      rows_.Fail("in a " + std::string(SizeFormName(rows_.totals.form)) +
                 " sizes are named by --source, as in x:1, not by --column");
    }
    if (!has_sources && !(rows_.query.sources.empty() && rows_.query.function.empty())) {
      rows_.Fail(
          "only in call records and lint results are sizes named by --source or --function; "
          "here it is --column");
    }
  }

  /// Chooses the reader by the first line; true: the line is dealt with.
  bool Decide(std::string_view line) {
    const std::string_view text = Trim(line);
    if (text.empty() || text.starts_with('#')) return false;
    rows_.totals.lines.NoteLine(text);
    if (text.starts_with('{')) {
      is_json_ = true;
      reader_ = JsonReader(text);
    } else if (IsServerLogLine(text)) {
      reader_ = NewServerLogSizes(rows_);
    } else if (text.starts_with('[') && !HasTorchLog(text)) {
      reader_ = NewSizeList(rows_);
    } else if (IsNumberRow(text) && !line.starts_with('\t')) {
      reader_ = NewNumberLines(rows_, "");
    } else {
      line = TrimRight(line);  // the first field may be empty
      const char delimiter = DelimiterOf(line);
      const std::vector<std::string> names = FieldsOf(line, delimiter);
      if (names.size() != 1 || EndsInQuotes(text, delimiter, false)) {
        rows_.totals.form = SizeForm::kTable;
        reader_ = NewTableLines(rows_, delimiter);
        return false;
      }
      for (const std::string& wanted : rows_.query.columns) {
        if (FindColumn(wanted, names) == names.size()) {
          rows_.Fail("there is no column '" + wanted + "': it has " + QuotedNames(names));
        }
      }
      if (rows_.query.dims() > 1 || !rows_.query.count_column.empty()) {
        rows_.Fail("it has one column only, " + QuotedNames(names));
      }
      reader_ = NewNumberLines(rows_, names[0]);
      return true;
    }
    return false;
  }

  std::unique_ptr<SizeFormReader> JsonReader(std::string_view text) {
    JsonParser parser;
    simdjson::dom::element json;
    simdjson::dom::object fields;
    if (!parser.Parse(text, json) || json.get(fields) != simdjson::SUCCESS) {
      // The first line of an object that goes over many is no damaged one.
      const bool goes_on = text == "{" || text.ends_with(',') || text.ends_with('[');
      return goes_on ? NewLintSizes(rows_) : NewJsonSizeLines(rows_);
    }
    const std::string_view schema = JsonText(fields, "schema");
    if (schema.starts_with("shapewise.lint/")) return NewLintSizes(rows_);
    if (schema.starts_with("shapewise.calls/")) return NewRecordSizes(rows_);
    if (schema.starts_with("shapewise.")) {
      rows_.Fail("it is " + std::string(schema) + ", which tells no sizes of calls");
    }
    if (JsonObject(fields, "inputs")) return NewRecordSizes(rows_);
    return NewJsonSizeLines(rows_);
  }

  SizeRows& rows_;
  std::unique_ptr<SizeFormReader> reader_;
  std::string long_line_;
  bool is_json_ = false;  // which may tell of a log, and is none
  bool is_torch_log_ = false;
};

std::string WhyNothing(const JsonLineTotals& lines) {
  if (lines.first_line.empty()) return "it is empty; expected " + std::string(kExpected);
  std::string why = "no size recognised";
  if (!lines.first_damaged.empty()) {
    const DamagedLine& first = lines.first_damaged.front();
    why += " (line " + std::to_string(first.line) + ": " + first.what + ")";
  }
  return why + "; expected " + std::string(kExpected) + "; it begins with \"" + lines.first_line +
         "\"";
}

}  // namespace

std::string_view SizeFormName(SizeForm form) {
  switch (form) {
    case SizeForm::kNumbers:
      return "numbers";
    case SizeForm::kHistogram:
      return "histogram";
    case SizeForm::kTable:
      return "table";
    case SizeForm::kJsonLines:
      return "json lines";
    case SizeForm::kList:
      return "list";
    case SizeForm::kCallRecords:
      return "call records";
    case SizeForm::kLintResult:
      return "lint result";
    case SizeForm::kServerLog:
      break;
  }
  return "server log";
}

size_t SizeQuery::dims() const {
  return std::max<size_t>(1, std::max(columns.size(), sources.size()));
}

Expected<SizeTotals> ReadSizes(const std::string& path, const SizeQuery& query, FileSource& files,
                               SizeSink& sink) {
  if (query.dims() > kMaxSizeDims) return MakeError("more than three sizes can't be read together");
  SizeTotals totals;
  SizeRows rows{query, sink, totals, ""};
  SizeSniffer sniffer(rows);
  Stats stats;
  TextTotals read;
  if (Error error = files.Read(path, sniffer, stats, 0, read)) return error;
  if (const Stats::Count& count = stats.count(Stat::archive_damaged); count.times > 0) {
    totals.lines.NoteDamage(count.first_line, "the archive is cut or damaged here");
  }
  sniffer.Finish();
  if (!rows.error.empty()) return MakeError(path + ": " + rows.error);
  if (totals.lines.records == 0) return MakeError(path + ": " + WhyNothing(totals.lines));
  return totals;
}

}  // namespace shapewise
