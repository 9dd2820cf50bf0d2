#include "api/command_parts.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "ingest/call_record_reader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "pipeline/run_page.h"
#include "rules/rule_set.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

std::string ShownName(const Input& input) {
  return input.name == "-" ? "standard input" : MakePrintable(input.name);
}

bool IsPython(const Input& input) { return llvm::StringRef(input.name).endswith(".py"); }

std::string PythonText(const Input& input) {
  const std::string name = ShownName(input);
  return name + ": Python source, not a log; to find graph breaks in code, run: shapewise check " +
         name;
}

/// "run.log: no output of torch's compiler recognised (expected ...); it begins with '...'"
std::string UnrecognisedText(const Input& input) {
  const std::string name = ShownName(input);
  if (input.format == kCallRecordsFormat) {
    return name +
           ": call records contain calls, not compilations: predict, advise and replay read them "
           "with --calls, buckets and report as inputs";
  }
  if (IsPython(input)) return PythonText(input);
  if (input.bytes == 0) return name + ": the file is empty";
  if (input.is_binary) return name + ": a binary file, not a log or a trace";
  return name +
         ": nothing of torch.compile recognised; expected what TORCH_LOGS prints, such as "
         "\"[0/1] [__recompiles] Recompiling function f in t.py:1\", but it begins with \"" +
         MakePrintable(input.first_line) + "\"";
}

/// One line for all inputs: "run.log: no torch.compile output found in 12 lines; ...".
std::string EmptyText(const std::vector<Input>& inputs) {
  uint64_t lines = 0;
  for (const Input& input : inputs) lines += input.lines;
  const std::string what =
      inputs.size() == 1 ? ShownName(inputs[0]) : std::to_string(inputs.size()) + " inputs";
  return what +
         (lines == 0 ? std::string(": empty")
                     : ": no torch.compile output found in " + Counted(lines, "line")) +
         ": no recompiles or graph breaks, if TORCH_LOGS=recompiles,graph_breaks was set";
}

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

bool FindUnrecognised(const Session& session, EmptyInputs empty_inputs, Messages& messages) {
  const bool has_unreadable =
      session.stats().count(static_cast<size_t>(Stat::input_unreadable)).times > 0;
  std::vector<const Input*> unrecognised;
  std::vector<const Input*> calls;
  for (const Input& input : session.inputs()) {
    // Of an unreadable input the user has read already.
    const bool is_named = input.bytes > 0 || !has_unreadable;
    if (input.format.empty() && is_named) unrecognised.push_back(&input);
    if (input.format == kCallRecordsFormat) calls.push_back(&input);
  }
  const bool has_recognised = std::ranges::any_of(session.inputs(), [](const Input& input) {
    return !input.format.empty() && input.format != kCallRecordsFormat;
  });
  if (session.inputs().empty()) {
    const bool is_clean = empty_inputs == EmptyInputs::kClean;
    if (empty_inputs != EmptyInputs::kUnread) {
      AddMessage(messages, is_clean ? api::Severity::kWarning : api::Severity::kError,
                 "no files found: nothing was read");
    }
    return is_clean;
  }
  const bool are_logs = std::ranges::none_of(
      session.inputs(), [](const Input& input) { return input.is_binary || IsPython(input); });
  if (empty_inputs == EmptyInputs::kClean && !has_recognised && calls.empty() && are_logs) {
    AddMessage(messages, api::Severity::kWarning, EmptyText(session.inputs()));
    return true;
  }
  // Next to logs, as in the folder of a run, call records are not worth mentioning.
  if (!has_recognised) unrecognised.insert(unrecognised.end(), calls.begin(), calls.end());
  const api::Severity severity = has_recognised ? api::Severity::kWarning : api::Severity::kError;
  for (size_t i = 0; i < unrecognised.size() && i < kMaxUnrecognised; ++i) {
    AddMessage(messages, severity, UnrecognisedText(*unrecognised[i]));
  }
  if (unrecognised.size() > kMaxUnrecognised) {
    AddMessage(
        messages, severity,
        "and " + std::to_string(unrecognised.size() - kMaxUnrecognised) + " more like these");
  }
  return has_recognised;
}

bool FindDamage(const std::vector<RecordFile>& files, const std::string& expected,
                Messages& messages) {
  bool all_recognised = true;
  for (const RecordFile& file : files) {
    const std::string name = file.path == "-" ? "standard input" : file.path;
    const JsonLineTotals& totals = file.totals;
    if (totals.records == 0) {
      all_recognised = false;
      std::string why = ": empty";
      if (totals.damaged > 0) {
        why = ": not recognized: expected " + expected;
        if (totals.first_line.starts_with('{')) {
          const DamagedLine& line = totals.first_damaged.front();
          why += "; line " + std::to_string(line.line) + " was skipped: " + line.what;
        } else {
          why += ", but it begins with \"" + totals.first_line + "\"";
        }
      }
      AddMessage(messages, api::Severity::kError, name + why);
      continue;
    }
    for (const DamagedLine& line : totals.first_damaged) {
      AddMessage(messages, api::Severity::kWarning,
                 name + ":" + std::to_string(line.line) + ": skipped: " + line.what);
    }
    if (totals.damaged > totals.first_damaged.size()) {
      AddMessage(messages, api::Severity::kWarning,
                 name + ": and " + std::to_string(totals.damaged - totals.first_damaged.size()) +
                     " more lines like these");
    }
  }
  return all_recognised;
}

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
  const bool is_beyond = report.holdout && report.holdout->IsExceeded();
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
