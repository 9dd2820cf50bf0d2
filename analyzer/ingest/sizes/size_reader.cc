// The first non-blank line decides which format an input has; one reader reads the rest.

#include "ingest/size_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ingest/date_time.h"
#include "ingest/sizes/size_rows.h"
#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

constexpr std::string_view kExpected =
    "a size a line, a table with a header (csv, tsv), a histogram 'length,count', JSON lines, call "
    "records, a log of vLLM or SGLang or their metrics, or what shapewise lint --format json "
    "--events prints";

/// Whether `text` contains output of TORCH_LOGS or TORCH_TRACE: "[0/1] [__recompiles]", or a line
/// that begins with "V1121 04:12:15.119000 4231".
bool HasTorchLog(std::string_view text) {
  LogTime time;
  return HasText(text, "] [__") || ConsumeGlogTime(text, time);
}

class SizeSniffer final : public SizeFormReader {
 public:
  explicit SizeSniffer(SizeRows& rows) : SizeFormReader(rows, /*keeps_indent=*/true) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    Watch(lines);
    for (; !lines.empty() && reader_ == nullptr; ++first_line) {
      const size_t end = std::min(FindText(lines, "\n"), lines.size());
      Decide(lines.substr(0, end));
      if (reader_ != nullptr) break;
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    if (!lines.empty()) Pass(lines, first_line);
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    // A list may be one line of any length; other long lines are joined.
    if (reader_ == nullptr && is_first && Trim(piece).starts_with('[')) Decide(piece);
    return reader_ != nullptr ? reader_->OnPiece(piece, line, is_first, is_last)
                              : WholeLines::OnPiece(piece, line, is_first, is_last);
  }

  void Finish() override {
    if (reader_ != nullptr && rows_.error.empty()) reader_->Finish();
    if (is_torch_log_ && !is_json_ && rows_.totals.lines.records == 0) {
      rows_.error =
          "it is a log of torch.compile, not sizes; sizes are in what lint makes of it: shapewise "
          "lint --format json --events RUN | shapewise buckets -";
    }
  }

 private:
  void OnLine(std::string_view text, uint64_t line) override {
    Decide(text);
    if (reader_ != nullptr) Pass(text, line);
  }
  void OnTooLong(uint64_t) override { rows_.Fail("its first line is longer than 1 GiB"); }

  void Pass(std::string_view lines, uint64_t first_line) {
    if (rows_.error.empty()) reader_->OnLines(lines, first_line);
  }

  /// Looks for a log, as long as nothing else is found.
  void Watch(std::string_view lines) {
    if (rows_.totals.lines.records > 0 || is_json_ || is_torch_log_) return;
    ForEachLine(lines, 0, [&](std::string_view line, uint64_t) {
      if (HasTorchLog(line)) is_torch_log_ = true;
    });
  }

  /// Chooses the reader by the first line.
  void Decide(std::string_view line) {
    reader_ = ReaderFor(line);
    if (reader_ == nullptr) return;
    const bool has_sources = rows_.totals.form == SizeForm::kCallRecords;
    // Whether an object over several lines is a lint result is known at its end.
    if (rows_.totals.form == SizeForm::kLintResult) return;
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

  /// Null: the line is blank.
  std::unique_ptr<SizeFormReader> ReaderFor(std::string_view line) {
    const std::string_view text = Trim(line);
    const bool is_metric = IsMetricLine(text);
    if (text.empty() || (text.starts_with('#') && !is_metric)) return nullptr;
    rows_.totals.lines.NoteLine(text);
    if (is_metric) return NewMetricSizes(rows_);
    is_json_ = text.starts_with('{');
    if (is_json_) return JsonReader(text);
    if (IsServerLogLine(text)) return NewServerLogSizes(rows_);
    if (text.starts_with('[') && !HasTorchLog(text)) return NewSizeList(rows_);
    if (IsNumberRow(text) && !line.starts_with('\t')) return NewColumnLines(rows_, kAnyDelimiter);
    line = TrimRight(line);  // the first field may be empty
    const char delimiter = DelimiterOf(line);
    const bool is_one_name =
        FieldsOf(line, delimiter).size() == 1 && !EndsInQuotes(text, delimiter, false);
    if (!is_one_name) rows_.totals.form = SizeForm::kTable;
    return NewColumnLines(rows_, delimiter);
  }

  std::unique_ptr<SizeFormReader> JsonReader(std::string_view text) {
    JsonParser parser;
    simdjson::dom::object fields;
    if (!parser.Parse(text, fields)) {
      // The first line of an object over many lines is not damaged.
      const bool goes_on = text == "{" || text.ends_with(',') || text.ends_with('[');
      return goes_on ? NewLintSizes(rows_) : NewJsonSizeLines(rows_);
    }
    const std::string_view schema = JsonText(fields, "schema");
    if (schema.starts_with("shapewise.lint/")) return NewLintSizes(rows_);
    if (schema.starts_with("shapewise.calls/")) return NewRecordSizes(rows_);
    if (schema.starts_with("shapewise.")) {
      rows_.Fail("it is " + std::string(schema) + ", which contains no sizes of calls");
    }
    if (JsonObject(fields, "inputs")) return NewRecordSizes(rows_);
    return NewJsonSizeLines(rows_);
  }

  std::unique_ptr<SizeFormReader> reader_;
  bool is_json_ = false;  // strings in it may look like a log
  bool is_torch_log_ = false;
};

std::string WhyNothing(const JsonLineTotals& lines) {
  if (lines.first_line.empty()) return "it is empty; expected " + std::string(kExpected);
  return "no size recognised" + lines.DescribeDamage() + "; expected " + std::string(kExpected) +
         "; it begins with \"" + lines.first_line + "\"";
}

Error CheckGrouping(const SizeQuery& query, const GroupingRule& grouping) {
  if (grouping.IsNone()) return Error::success();
  if (grouping.batch && grouping.max_tokens) {
    return MakeError("lengths are grouped by number or by tokens, not by both");
  }
  if (query.dims() > 1) return MakeError("only lengths of one column can be grouped");
  const uint64_t most = grouping.batch.value_or(grouping.max_tokens.value_or(0));
  if (most < 1 || most > uint64_t{kMaxSize}) {
    return MakeError("lengths are grouped by a number from 1 to " + std::to_string(kMaxSize));
  }
  return Error::success();
}

}  // namespace

std::string_view SizeFormName(SizeForm form) {
  static constexpr std::string_view kNames[] = {"numbers",     "histogram",  "table",
                                                "json lines",  "list",       "call records",
                                                "lint result", "server log", "metrics"};
  return kNames[static_cast<size_t>(form)];
}

size_t SizeQuery::dims() const {
  return std::max<size_t>(1, std::max(columns.size(), sources.size()));
}

Expected<SizeTotals> ReadSizes(const std::string& path, const SizeQuery& query, FileSource& files,
                               SizeSink sink) {
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

Expected<SizeRun> ReadSizeRun(const std::vector<std::string>& paths, const SizeQuery& query,
                              const GroupingRule& grouping, FileSource& files) {
  if (Error error = CheckGrouping(query, grouping)) return error;
  SizeRun run;
  CallGrouper grouper(grouping);
  SizeHistory history(query.dims());
  const auto add = [&](const Sizes& sizes, uint64_t calls) -> std::string_view {
    const bool has_room =
        grouping.IsNone() ? history.Add(sizes, calls) : grouper.Add(sizes[0], calls);
    return has_room ? "" : "there are more calls than can be counted";
  };
  bool is_ordered = true;
  for (const std::string& given : paths) {
    Expected<std::vector<std::string>> expanded = files.Expand(given);
    if (!expanded) {
      run.unread.push_back(llvm::toString(expanded.takeError()));
      continue;
    }
    for (const std::string& path : *expanded) {
      Expected<SizeTotals> totals = ReadSizes(path, query, files, add);
      if (!totals) {
        run.unread.push_back(llvm::toString(totals.takeError()));
        continue;
      }
      if (!totals->is_ordered && !grouping.IsNone()) {
        return MakeError(path + ": batching needs lengths in order of arrival, and this " +
                         std::string(SizeFormName(totals->form)) + " does not contain the order");
      }
      is_ordered &= totals->is_ordered;
      run.is_censored |= totals->is_censored;
      const bool is_first = run.files.empty();
      if (is_first) run.same = totals->same;
      std::erase_if(run.same, [&](const std::string& name) {
        return !llvm::is_contained(totals->same, name);
      });
      const bool has_dims =
          totals->form == SizeForm::kCallRecords || totals->form == SizeForm::kLintResult;
      run.are_dims = (is_first || run.are_dims) && has_dims;
      if (run.columns.empty()) run.columns = totals->columns;
      run.files.push_back({path, std::move(*totals)});
    }
  }
  if (!grouping.IsNone()) {
    grouper.Finish();
    run.grouping = grouper.totals();
    history = std::move(grouper.history());
    if (grouping.max_tokens && !run.columns.empty())
      run.columns.insert(run.columns.begin(), "batch");
  }
  run.history = std::move(history);
  if (!is_ordered) run.history.SetUnordered();
  return run;
}

}  // namespace shapewise
