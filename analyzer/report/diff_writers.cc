#include "report/diff_writers.h"

#include <algorithm>

#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr std::string_view kUnknown = "-";

/// A count is unknown if such records are not printed.
std::string CountText(const DiffResult::Side& side, Printed printed, uint64_t count) {
  const bool is_known = side.has_totals && (printed != Printed::kNo || count > 0);
  return is_known ? std::to_string(count) : std::string(kUnknown);
}

void AddCount(std::vector<std::string>& phrases, size_t count, std::string_view what) {
  if (count > 0) phrases.push_back(std::to_string(count) + " " + std::string(what));
}

std::string Join(const std::vector<std::string>& phrases, std::string_view separator) {
  std::string text;
  for (const std::string& phrase : phrases) {
    if (!text.empty()) text += separator;
    text += phrase;
  }
  return text;
}

}  // namespace

std::vector<TotalsRow> TotalsRows(const DiffResult& result) {
  const RunSummary& before = result.before.summary;
  const RunSummary& after = result.after.summary;
  std::vector<TotalsRow> rows;
  if (!before.failure.empty() || !after.failure.empty()) {
    const auto text = [](const std::string& failure) { return failure.empty() ? "no" : "yes"; };
    rows.push_back({"fails", text(before.failure), text(after.failure)});
  }
  const auto add_count = [&](std::string name, uint64_t old_count, uint64_t new_count,
                             Printed Coverage::* printed = nullptr) {
    if (old_count == 0 && new_count == 0) return;
    const auto text = [&](const DiffResult::Side& side, uint64_t count) {
      return CountText(side, printed == nullptr ? Printed::kYes : side.coverage.*printed, count);
    };
    rows.push_back(
        {std::move(name), text(result.before, old_count), text(result.after, new_count)});
  };
  add_count("recompiles", before.recompiles, after.recompiles, &Coverage::recompiles);
  add_count("recompile limit hits", before.recompile_limit_hits, after.recompile_limit_hits);
  add_count("functions running eagerly", before.eager_functions.size(),
            after.eager_functions.size());
  add_count("graph breaks", before.graph_breaks, after.graph_breaks, &Coverage::graph_breaks);
  add_count("skipped frames", before.skipped_frames, after.skipped_frames);
  // A run that prints none still had some.
  if (before.compiles > 0 || after.compiles > 0) {
    const auto text = [](uint64_t compiles) {
      return compiles == 0 ? std::string(kUnknown) : std::to_string(compiles);
    };
    rows.push_back({"compiles", text(before.compiles), text(after.compiles)});
  }
  if (before.compile_seconds || after.compile_seconds) {
    const auto text = [](const std::optional<double>& seconds) {
      return seconds ? SecondsText(*seconds) : std::string(kUnknown);
    };
    rows.push_back({"compile time", text(before.compile_seconds), text(after.compile_seconds)});
  }
  add_count("ranks", before.ranks.size(), after.ranks.size());
  if (!before.torch.empty() || !after.torch.empty()) {
    const auto text = [](const std::string& torch) {
      return torch.empty() ? std::string(kUnknown) : torch;
    };
    rows.push_back({"fits torch", text(before.torch), text(after.torch)});
  }
  return rows;
}

std::string VerdictText(const DiffResult& result) {
  switch (result.verdict) {
    case RunVerdict::kSame:
      return "Same";
    case RunVerdict::kBetter:
      return "Better: " + Join(result.better, ", ");
    case RunVerdict::kWorse:
      return "Worse: " + Join(result.worse, ", ");
    case RunVerdict::kMixed:
      return "Mixed: better: " + Join(result.better, ", ") + "; worse: " + Join(result.worse, ", ");
  }
  return {};
}

std::string CountsText(const DiffResult& result) {
  std::vector<std::string> phrases;
  const auto is_replacement = [](const NewCause& cause) { return !cause.instead_of.empty(); };
  const auto num_replaced =
      static_cast<size_t>(std::ranges::count_if(result.fresh, is_replacement));
  AddCount(phrases, result.fresh.size() - num_replaced, "new");
  AddCount(phrases, num_replaced, "in place of another");
  AddCount(phrases, result.gone.size(), "gone");
  AddCount(phrases, result.changed.size(), "changed");
  AddCount(phrases, result.same.size(), "the same");
  AddCount(phrases, result.incomparable.size(), "not comparable");
  return phrases.empty() ? "no causes in either run" : Join(phrases, ", ");
}

std::string ChangesText(const CommonCause& cause) {
  std::vector<std::string> phrases;
  for (const Change& change : cause.changes) {
    const auto text = [](const std::string& value) { return value.empty() ? "?" : value; };
    phrases.push_back(change.what + " " + text(change.before) + " -> " + text(change.after));
  }
  return Join(phrases, "; ");
}

std::string MatchText(MatchedBy matched_by) {
  switch (matched_by) {
    case MatchedBy::kFingerprint:
      return {};
    case MatchedBy::kSource:
      return "matched by function and source; the guard is of another class";
    case MatchedBy::kMovedFile:
      return "matched by function and culprit; the file is another";
    case MatchedBy::kRenamedFunction:
      return "matched by file and culprit; the function is another";
    case MatchedBy::kWording:
      return "matched by place; the break is worded otherwise";
    case MatchedBy::kPlace:
      return "matched by file and line; one run does not name the function";
    case MatchedBy::kFunction:
      return "matched by function; one run names no culprit";
  }
  return {};
}

std::string InsteadText(const NewCause& cause, const DiffResult& result) {
  for (const Finding& gone : result.gone) {
    if (cause.instead_of.empty() || gone.fingerprint != cause.instead_of) continue;
    return gone.rule + " of this function, which was there " + Counted(gone.count, "time");
  }
  return {};
}

std::string AlikeText(const NewCause& cause) {
  if (cause.num_alike == 0) return {};
  return Counted(cause.num_alike, "cause") + " like it in this function " +
         (cause.num_alike == 1 ? "was" : "were") +
         " there before; which of them is the new one is uncertain";
}

std::span<const DiffFormat> DiffFormats() {
  static constexpr auto formats =
      DocumentFormats<DiffResult, DiffEvidence>::FormatsOf<DescribeDiff>(
          DiffFormat{"json", WriteDiffJson});
  return formats;
}

}  // namespace shapewise
