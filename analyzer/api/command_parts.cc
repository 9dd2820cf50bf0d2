#include "api/command_parts.h"

#include <tuple>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "pipeline/run_page.h"
#include "rules/rule_set.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

/// The value of `values` for `dim`; a single value applies to all dims.
Expected<int64_t> ForDim(const std::vector<int64_t>& values, size_t dim, size_t dims,
                         int64_t otherwise, const std::string& option) {
  if (values.empty()) return otherwise;
  if (values.size() == 1) return values.front();
  if (values.size() == dims) return values[dim];
  return MakeError(option + " has " + std::to_string(values.size()) + " values for " +
                   Counted(dims, "dim"));
}

Expected<BucketLimits> LimitsOf(const BucketLimitLists& lists, size_t dim, size_t dims) {
  BucketLimits limits;
  for (const auto& [values, limit, option] :
       {std::tuple(&lists.align, &limits.alignment, "--align"),
        std::tuple(&lists.min, &limits.min, "--min"),
        std::tuple(&lists.max, &limits.max, "--max")}) {
    Expected<int64_t> value = ForDim(*values, dim, dims, *limit, option);
    if (!value) return value.takeError();
    *limit = *value;
  }
  if (limits.max > 0 && limits.min > limits.max) {
    return MakeError("--min " + std::to_string(limits.min) + " is larger than --max " +
                     std::to_string(limits.max));
  }
  limits.forced = lists.force;
  limits.forbidden = lists.forbid;
  for (const int64_t size : limits.forced) {
    if (llvm::is_contained(limits.forbidden, size)) {
      return MakeError("size " + std::to_string(size) + " is in both --force and --forbid");
    }
  }
  return limits;
}

void AddRules(std::string_view format, ReportOptions& options) {
  if (format == "sarif") options.rules = DiagnosticRules();
}

}  // namespace

std::optional<Severity> WorstOf(const CheckResult& result) {
  return std::max(WorstOf(result.findings), WorstOf(result.faults));
}

std::optional<Severity> WorstOf(const Advice& advice) {
  std::optional<Severity> worst;
  for (const RankedAction& ranked : advice.actions) {
    const bool is_kept = !ranked.measured || ranked.measured->is_kept;
    if (is_kept) worst = std::max(worst, std::optional<Severity>(ranked.severity));
  }
  return worst;
}

std::optional<Severity> WorstOf(const BucketReport& report) {
  const bool is_drifting = report.drift && report.drift->is_drifting;
  const bool is_beyond =
      report.holdout && report.holdout->out_of_range * 100 > report.holdout->held_calls;
  return is_drifting || is_beyond ? std::optional<Severity>(Severity::kWarning) : std::nullopt;
}

Error CheckIsPython(const std::vector<std::string>& paths, const CheckResult& result) {
  for (const std::string& path : paths) {
    const llvm::StringRef ending = llvm::sys::path::extension(path);
    if (ending.empty() || ending.startswith(".py") || ending == ".ipynb") continue;
    if (std::ranges::find(result.faults, path, &CodeFault::file) == result.faults.end()) continue;
    return MakeError(path + ": not Python source; to analyze a log, run: shapewise lint " + path);
  }
  return Error::success();
}

std::string NoEntryText(std::string_view pattern) {
  return "entry: no function is named '" + std::string(pattern) + "'";
}

std::string NoPythonText(const std::vector<std::string>& paths) {
  return llvm::join(paths, ", ") + ": no Python files found";
}

Error SetBucketLimits(const BucketLimitLists& lists, BucketOptions& options) {
  const size_t dims = options.grouping.max_tokens ? 2 : options.query.dims();
  if (dims > kMaxSizeDims) {
    return MakeError("at most " + std::to_string(kMaxSizeDims) + " dims can be planned together");
  }
  if (dims > 1 && (!lists.force.empty() || !lists.forbid.empty())) {
    return MakeError("--force and --forbid require sizes of one dim");
  }
  options.plan.limits.clear();
  for (size_t dim = 0; dim < dims; ++dim) {
    Expected<BucketLimits> limits = LimitsOf(lists, dim, dims);
    if (!limits) return limits.takeError();
    options.plan.limits.push_back(std::move(*limits));
  }
  return Error::success();
}

void WriteLint(const LintResult& result, const Session& session, std::string_view format,
               ReportOptions options, llvm::raw_ostream& out) {
  AddRules(format, options);
  if (format == "html") {
    const RunPage page = MakeRunPage(session, result.findings);
    WritePage(result, session, page, options, out);
    return;
  }
  FindFormat(LintFormats(), format)->write(result, session, options, out);
}

void WriteCheck(const CheckResult& result, const CodeTexts& texts, std::string_view format,
                ReportOptions options, llvm::raw_ostream& out) {
  AddRules(format, options);
  FindFormat(CheckFormats(), format)->write(result, texts, options, out);
}

std::vector<DiagnosticRule> DiagnosticRules() {
  std::vector<DiagnosticRule> rules;
  for (const RuleHead* rule : RuleSet::Builtin().Heads()) {
    rules.push_back({std::string(rule->code), std::string(rule->name), rule->severity,
                     std::string(rule->summary), std::string(rule->markdown)});
  }
  return rules;
}

}  // namespace shapewise
