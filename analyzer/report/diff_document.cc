// The comparison for people: the verdict, the totals side by side, new and worse causes in full,
// the rest in one line each. As JSON: schema shapewise.diff/1.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "report/document.h"
#include "report/formats.h"
#include "report/result_json.h"
#include "report/text_finding.h"
#include "support/enum_name.h"

namespace shapewise {
namespace {

// Limits without --all.
constexpr size_t kMaxInFull = 12;
constexpr size_t kMaxChangedLines = 6;

constexpr std::string_view kUnknown = "-";

/// One row of the totals of two runs, as text.
struct TotalsRow {
  std::string name;
  std::string before;  ///< "-": unknown
  std::string after;
};

/// A count is unknown if such records are not printed.
std::string CountText(const DiffResult::Side& side, Printed printed, uint64_t count) {
  const bool is_known = side.has_totals && (printed != Printed::kNo || count > 0);
  return is_known ? std::to_string(count) : std::string(kUnknown);
}

void AddCount(std::vector<std::string>& phrases, size_t count, std::string_view what) {
  if (count > 0) phrases.push_back(std::to_string(count) + " " + std::string(what));
}

/// The totals that at least one of the runs has.
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
    rows.push_back({"torch", text(before.torch), text(after.torch)});
  }
  return rows;
}

/// "Better: 3 recompiles instead of 8", "Same", "Mixed: better: 1 graph break instead of 2; worse:
/// 9 compiles instead of 4", "Better: 0 eager functions instead of 1, although 9 recompiles instead
/// of 8"
std::string VerdictText(const DiffResult& result) {
  const std::string price =
      result.price.empty() ? "" : ", although " + llvm::join(result.price, ", ");
  switch (result.verdict) {
    case RunVerdict::kSame: {
      const bool has_same_causes =
          result.fresh.empty() && result.gone.empty() && result.changed.empty();
      return has_same_causes ? "Same" : "Same totals, other causes";
    }
    case RunVerdict::kBetter:
      return "Better: " + llvm::join(result.better, ", ") + price;
    case RunVerdict::kWorse:
      return "Worse: " + llvm::join(result.worse, ", ");
    case RunVerdict::kMixed:
      return "Mixed: better: " + llvm::join(result.better, ", ") + price +
             "; worse: " + llvm::join(result.worse, ", ");
    case RunVerdict::kUnknown:
      return "Unknown: " + result.why_unknown;
  }
  return {};
}

/// "1 new, 2 gone, 1 changed, 3 the same, 2 not comparable"
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
  return phrases.empty() ? "no causes in either run" : llvm::join(phrases, ", ");
}

/// "count 3 -> 5; severity note -> warning"
std::string ChangesText(const CommonCause& cause) {
  std::vector<std::string> phrases;
  for (const Change& change : cause.changes) {
    const auto text = [](const std::string& value) { return value.empty() ? "?" : value; };
    phrases.push_back(change.what + " " + text(change.before) + " -> " + text(change.after));
  }
  return llvm::join(phrases, "; ");
}

/// How a cause was matched if not by its fingerprint: "by function ..."; else empty.
std::string_view MatchText(MatchedBy matched_by) {
  return EnumName<MatchedBy::kFunction>(
      matched_by,
      {"", "by function and source; the class of the guard differs",
       "by function and culprit; the file differs", "by file and culprit; the function differs",
       "by place; the wording of the break differs",
       "by file and line; one run does not name the function",
       "by function; one run names no culprit"});
}

/// The gone cause that a new one replaced: "SWC003 of this function, which was there 8 times";
/// empty if it replaced none.
std::string InsteadText(const NewCause& cause, const DiffResult& result) {
  for (const Finding& gone : result.gone) {
    if (cause.instead_of.empty() || gone.fingerprint != cause.instead_of) continue;
    return gone.rule + " of this function, which was there " + Counted(gone.count, "time");
  }
  return {};
}

/// A remark on a new cause with siblings; empty without siblings.
std::string AlikeText(const NewCause& cause) {
  if (cause.num_alike == 0) return {};
  return Counted(cause.num_alike, "cause") + " like it in this function " +
         (cause.num_alike == 1 ? "was" : "were") +
         " there before; which of them is the new one is uncertain";
}

void AddHeadline(const DiffResult& result, Document& page) {
  const bool is_worse =
      result.verdict == RunVerdict::kWorse || result.verdict == RunVerdict::kMixed;
  page.Begin(0, 2).Add(is_worse ? TextStyle::kError : TextStyle::kStrong, VerdictText(result));
  page.Add(" (" + CountsText(result) + ")");
}

void AddTotals(const DiffResult& result, Document& page) {
  using Align = Document::Table::Align;
  Document::Table table({{"", Align::kLeft}, {"before"}, {"after"}});
  for (const TotalsRow& row : TotalsRows(result)) {
    table.Row({row.name, row.before, row.after},
              row.before == row.after ? TextStyle::kPlain : TextStyle::kStrong);
  }
  page.BlankLine();
  page.AddTable(std::move(table));
}

void AddRow(std::string_view label, std::string_view text, Document& page) {
  if (text.empty()) return;
  page.Row(kFindingIndent, kFindingText, label);
  page.Add(text);
}

/// Adds "warning[SWS001]: message" with a remark in brackets.
void AddLine(const Finding& finding, std::string_view remark, Document& page) {
  page.Begin(0, 4).Add(std::string(SeverityName(finding.severity)) + "[" + finding.rule + "]: ");
  // Findings read from a baseline have no message.
  page.Add(finding.message.empty() ? IdentityText(finding.identity) : finding.message);
  page.Add(TextStyle::kFaint, " (" + std::string(remark) + ")");
}

class DiffPage {
 public:
  DiffPage(const DiffResult& result, const DiffEvidence& evidence, const ReportOptions& options)
      : result_(result), evidence_(evidence), page_("diff", options.all) {}

  Document Make() {
    AddHeadline(result_, page_);
    AddTotals(result_, page_);
    AddNew();
    AddChanged(/*is_worse=*/true);
    AddChanged(/*is_worse=*/false);
    AddGone();
    AddIncomparable();
    page_.AddList("What to keep in mind", result_.caveats);
    return std::move(page_);
  }

 private:
  void AddNew() {
    if (result_.fresh.empty()) return;
    page_.AddTitle("New");
    page_.AddSome(result_.fresh, kMaxInFull, "cause", 0, [&](const NewCause& cause) {
      // The same totals: most likely causes that the run before had under other names.
      const bool is_brief = result_.verdict == RunVerdict::kSame && !page_.all();
      if (is_brief || cause.finding.severity == Severity::kNote) {
        AddNote(cause.finding, evidence_.after, page_);
      } else {
        AddFinding(cause.finding, evidence_.after, page_.all(), page_);
      }
      AddRow("instead of", InsteadText(cause, result_), page_);
      AddRow("alike", AlikeText(cause), page_);
    });
  }

  void AddChanged(bool is_worse) {
    std::vector<const CommonCause*> causes;
    for (const CommonCause& cause : result_.changed) {
      if (cause.is_worse == is_worse) causes.push_back(&cause);
    }
    if (causes.empty()) return;
    page_.AddTitle(is_worse ? "Got worse" : "Changed",
                   is_worse ? Document::TitleKind::kSection : Document::TitleKind::kFolded);
    const size_t limit = is_worse ? kMaxInFull : kMaxChangedLines;
    page_.AddSome(causes, limit, "cause", 0, [&](const CommonCause* cause) {
      if (is_worse) {
        AddFinding(cause->after, evidence_.after, page_.all(), page_);
      } else {
        AddLine(cause->after, PlaceText(cause->after.where), page_);
      }
      AddRow("change", ChangesText(*cause), page_);
      AddRow("matched", MatchText(cause->matched_by), page_);
    });
  }

  void AddGone() {
    if (result_.gone.empty()) return;
    page_.AddTitle("Gone", Document::TitleKind::kFolded);
    page_.AddSome(result_.gone, kMaxChangedLines, "cause", 0, [&](const Finding& finding) {
      AddLine(finding, "was there " + Counted(finding.count, "time"), page_);
    });
  }

  void AddIncomparable() {
    if (result_.incomparable.empty()) return;
    page_.AddTitle("Not comparable", Document::TitleKind::kFolded);
    page_.AddSome(result_.incomparable, kMaxChangedLines, "cause", 0,
                  [&](const Incomparable& cause) {
                    AddLine(cause.finding, cause.is_new ? "after" : "before", page_);
                  });
  }

  const DiffResult& result_;
  const DiffEvidence& evidence_;
  Document page_;
};

Json SideJson(const DiffResult::Side& side) {
  return {{"name", side.name},
          {"summary", side.has_totals ? SummaryJson(side.summary) : Json()},
          {"coverage", CoverageJson(side.coverage)}};
}

Json NewCauseJson(const NewCause& cause) {
  Json json = FindingJson(cause.finding);
  json["worse"] = cause.is_worse;
  json["instead_of"] = TextOrNull(cause.instead_of);
  json["alike"] = cause.num_alike;
  return json;
}

Json CommonCauseJson(const CommonCause& cause) {
  const auto change_of = [](const Change& change) -> Json {
    return {{"what", change.what},
            {"before", TextOrNull(change.before)},
            {"after", TextOrNull(change.after)},
            {"worse", change.is_worse}};
  };
  return {{"matched_by", MatchedByName(cause.matched_by)},
          {"worse", cause.is_worse},
          {"changes", ListJson(cause.changes, change_of)},
          {"before", FindingJson(cause.before)},
          {"after", FindingJson(cause.after)}};
}

Json SameCauseJson(const CommonCause& cause) {
  return {{"matched_by", MatchedByName(cause.matched_by)},
          {"rule", cause.after.rule},
          {"identity", IdentityJson(cause.after.identity)},
          {"fingerprint", cause.after.fingerprint}};
}

Json IncomparableJson(const Incomparable& cause) {
  Json json = FindingJson(cause.finding);
  json["run"] = cause.is_new ? "after" : "before";
  return json;
}

}  // namespace

Document DescribeDiff(const DiffResult& result, const DiffEvidence& evidence,
                      const ReportOptions& options) {
  return DiffPage(result, evidence, options).Make();
}

void WriteDiffJson(const DiffResult& result, const DiffEvidence& /*evidence*/,
                   const ReportOptions& options, llvm::raw_ostream& out) {
  JsonStream object("shapewise.diff/1", options, out);
  object.Member("before", SideJson(result.before));
  object.Member("after", SideJson(result.after));
  object.Member("verdict", RunVerdictName(result.verdict));
  object.List("better", result.better);
  object.List("worse", result.worse);
  object.List("price", result.price);
  object.List("new", result.fresh, NewCauseJson);
  object.List("gone", result.gone, FindingJson);
  object.List("changed", result.changed, CommonCauseJson);
  object.List("same", result.same, SameCauseJson);
  object.List("incomparable", result.incomparable, IncomparableJson);
  object.List("caveats", result.caveats);
}

}  // namespace shapewise
