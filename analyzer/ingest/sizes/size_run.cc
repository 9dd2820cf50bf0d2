// Inputs one after the other, and lengths put together to calls.

#include <algorithm>
#include <utility>

#include "shapewise/ingest/size_reader.h"

namespace shapewise {
namespace {

constexpr std::string_view kTooMany = "there are more calls than can be counted";

/// Calls as they come.
class CallSink final : public SizeSink {
 public:
  explicit CallSink(SizeHistory& history) : history_(history) {}

  std::string_view OnSizes(const Sizes& sizes, uint64_t calls) override {
    return history_.Add(sizes, calls) ? "" : kTooMany;
  }

 private:
  SizeHistory& history_;
};

/// Lengths of which calls are made.
class LengthSink final : public SizeSink {
 public:
  explicit LengthSink(CallGrouper& grouper) : grouper_(grouper) {}

  std::string_view OnSizes(const Sizes& sizes, uint64_t calls) override {
    return grouper_.Add(sizes[0], calls) ? "" : kTooMany;
  }

 private:
  CallGrouper& grouper_;
};

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

Expected<SizeRun> ReadSizeRun(const std::vector<std::string>& paths, const SizeQuery& query,
                              const GroupingRule& grouping, FileSource& files) {
  if (Error error = CheckGrouping(query, grouping)) return error;
  SizeRun run;
  CallGrouper grouper(grouping);
  SizeHistory history(query.dims());
  CallSink calls(history);
  LengthSink lengths(grouper);
  SizeSink& sink = grouping.IsNone() ? static_cast<SizeSink&>(calls) : lengths;
  bool is_ordered = true;
  for (const std::string& given : paths) {
    Expected<std::vector<std::string>> expanded = files.Expand(given);
    if (!expanded) {
      run.unread.push_back(llvm::toString(expanded.takeError()));
      continue;
    }
    for (const std::string& path : *expanded) {
      Expected<SizeTotals> totals = ReadSizes(path, query, files, sink);
      if (!totals) {
        run.unread.push_back(llvm::toString(totals.takeError()));
        continue;
      }
      if (!totals->is_ordered && !grouping.IsNone()) {
        return MakeError(path +
                         ": batches are made of lengths in the order in which they came, "
                         "and this " +
                         std::string(SizeFormName(totals->form)) + " has none");
      }
      is_ordered &= totals->is_ordered;
      run.is_censored |= totals->is_censored;
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
