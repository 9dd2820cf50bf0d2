#include "pipeline/run_page.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "buckets/plan_buckets.h"
#include "dynamo/policy_text.h"
#include "dynamo/run_function.h"
#include "guards/guard_cost.h"
#include "ingest/call_record_reader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "model/call_history_builder.h"
#include "model/source_ref.h"
#include "pipeline/predict.h"
#include "pipeline/run_inputs.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using RunFunctions = std::vector<std::unique_ptr<RunFunction>>;

constexpr std::string_view kUsualPolicies[] = {"dynamic=True", "dynamic=False", "limit 64"};
constexpr size_t kMaxAdvisedPolicies = 3;
constexpr size_t kMaxGuardRows = 24;

/// `action` as a what-if; empty: the simulator does not support it.
std::string PolicyOf(const Action& action) {
  if (action.kind != "mark_dynamic" || action.source.empty() || action.dim < 0) return {};
  return "mark_dynamic(" + action.source + ", " + std::to_string(action.dim) + ")";
}

/// Whether `change` applies to some function of the run.
bool FitsSomewhere(const PolicyChange& change, const RunFunctions& functions) {
  return std::ranges::any_of(functions, [&](const std::unique_ptr<RunFunction>& function) {
    return !function->history.calls.empty() &&
           ApplyPolicy(change, function->policy, function->history).unmatched.empty();
  });
}

/// The what-ifs of a page: general ones first, then those in the advice.
std::vector<PolicyChange> PoliciesOf(const std::vector<Finding>& findings,
                                     const RunFunctions& functions) {
  std::vector<PolicyChange> policies;
  const auto add = [&policies](std::string_view text) {
    Expected<PolicyChange> change = ParsePolicy(text);
    if (change) return policies.push_back(std::move(*change));
    llvm::consumeError(change.takeError());  // a source that cannot be written in Python
  };
  for (const std::string_view text : kUsualPolicies) add(text);
  const size_t most = policies.size() + kMaxAdvisedPolicies;
  for (const Finding& finding : findings) {
    for (const Action& action : finding.advice) {
      const std::string text = PolicyOf(action);
      if (text.empty() || policies.size() == most) continue;
      const size_t before = policies.size();
      add(text);
      if (policies.size() == before) continue;
      const std::string& written = policies.back().text;
      const bool is_known =
          std::any_of(policies.begin(), policies.end() - 1,
                      [&](const PolicyChange& other) { return other.text == written; });
      if (is_known || !FitsSomewhere(policies.back(), functions)) policies.pop_back();
    }
  }
  return policies;
}

/// The functions and data loaders whose sizes are shown.
std::vector<CalledSizes> SizesOf(const RunFunctions& functions, const RecordedFunctions& recorded,
                                 const RecordedFunctions& batches) {
  const auto is_ordered = [](const std::unique_ptr<RecordedFunction>& function) {
    return function->unordered_calls == 0;
  };
  const bool are_ordered = std::ranges::all_of(recorded, is_ordered);
  std::vector<CalledSizes> sizes;
  for (const std::unique_ptr<RunFunction>& function : functions) {
    const bool is_recorded = function->origin == HistoryOrigin::kCalls;
    sizes.push_back({function->where, &function->history, is_recorded, !is_recorded || are_ordered,
                     function->history.is_lower_bound});
  }
  for (const std::unique_ptr<RecordedFunction>& loader : batches) {
    sizes.push_back({{loader->function, loader->file, loader->line},
                     &loader->history,
                     /*is_recorded=*/true,
                     is_ordered(loader),
                     loader->dropped_calls > 0});
  }
  return sizes;
}

/// The same function in several processes.
using Group = std::vector<const CalledSizes*>;

/// A dim of a tensor of one group.
struct VaryingDim {
  const Group* group = nullptr;
  std::string source;  // as NameOfSource() gives it
  size_t dim = 0;
  /// For each function of the group: the index of the source; absent: it has no such source.
  std::vector<std::optional<size_t>> numbers;
  std::set<int64_t> sizes;
  std::vector<std::string> same;

  std::string Name() const { return source + ":" + std::to_string(dim); }
};

/// The size of dim `dim` of source `source` in a call; absent: missing in the call.
std::optional<int64_t> SizeIn(const CallHistory& history, const CallSignature& call,
                              const std::optional<size_t>& source, size_t dim) {
  if (!source) return std::nullopt;
  const auto size = history.SizeIn(call, *source, static_cast<int64_t>(dim));
  return size && *size >= 0 && *size <= kMaxSize ? size : std::nullopt;
}

/// Groups calls by place, in the order of their first function.
std::vector<Group> GroupByPlace(const std::vector<CalledSizes>& calls) {
  std::vector<Group> groups;
  std::map<std::tuple<std::string, std::string, uint32_t>, size_t> numbers;
  for (const CalledSizes& function : calls) {
    if (function.history->calls.empty()) continue;
    const Place& where = function.where;
    const auto [known, is_new] =
        numbers.try_emplace({where.file, where.function, where.line}, groups.size());
    if (is_new) groups.emplace_back();
    groups[known->second].push_back(&function);
  }
  return groups;
}

/// Whether two dims of one group are equal in every call, including missing ones.
bool AreAlike(const VaryingDim& a, const VaryingDim& b) {
  if (a.sizes != b.sizes) return false;
  for (size_t i = 0; i < a.group->size(); ++i) {
    const CallHistory& history = *(*a.group)[i]->history;
    const bool is_alike = std::ranges::all_of(history.signatures, [&](const CallSignature& call) {
      return SizeIn(history, call, a.numbers[i], a.dim) ==
             SizeIn(history, call, b.numbers[i], b.dim);
    });
    if (!is_alike) return false;
  }
  return true;
}

/// Records the sizes of dims of source `source` of a function.
void NoteSizes(const Group& group, size_t function, size_t source,
               std::map<std::pair<std::string, size_t>, VaryingDim>& dims) {
  const CallHistory& history = *group[function]->history;
  const std::string name = NameOfSource(history.strings.text(history.sources[source]));
  std::vector<VaryingDim*> noted;  // by dim
  for (const CallSignature& call : history.signatures) {
    for (size_t dim = 0;; ++dim) {
      const std::optional<int64_t> size = SizeIn(history, call, source, dim);
      if (!size) break;
      if (dim == noted.size()) {
        VaryingDim& entry = dims[{name, dim}];
        entry.group = &group;
        entry.source = name;
        entry.dim = dim;
        entry.numbers.resize(group.size());
        entry.numbers[function] = source;
        noted.push_back(&entry);
      }
      noted[dim]->sizes.insert(*size);
    }
  }
}

/// The dims of `group` that vary, by name; of equal dims only the first.
std::vector<VaryingDim> DimsOf(const Group& group) {
  std::map<std::pair<std::string, size_t>, VaryingDim> all;
  for (size_t function = 0; function < group.size(); ++function) {
    for (size_t source = 0; source < group[function]->history->sources.size(); ++source) {
      NoteSizes(group, function, source, all);
    }
  }
  std::vector<VaryingDim> dims;
  for (auto& [name, dim] : all) {
    if (dim.sizes.size() < 2) continue;
    const auto alike =
        std::ranges::find_if(dims, [&](const VaryingDim& other) { return AreAlike(other, dim); });
    if (alike == dims.end()) {
      dims.push_back(std::move(dim));
    } else {
      alike->same.push_back(dim.Name());
    }
  }
  return dims;
}

/// The sizes of `dim`, call by call.
SizeHistory HistoryOf(const VaryingDim& dim) {
  SizeHistory sizes;
  const bool is_ordered = std::ranges::all_of(*dim.group, &CalledSizes::is_ordered);
  if (dim.group->size() > 1 || !is_ordered) sizes.SetUnordered();
  for (size_t i = 0; i < dim.group->size(); ++i) {
    const CallHistory& history = *(*dim.group)[i]->history;
    const std::vector<RecordedCall>& calls = history.calls;
    for (size_t begin = 0, end = 0; begin < calls.size(); begin = end) {
      const CallSignature& call = history.signatures[calls[begin].signature];
      while (end < calls.size() && calls[end].signature == calls[begin].signature) ++end;
      const std::optional<int64_t> size = SizeIn(history, call, dim.numbers[i], dim.dim);
      if (size) sizes.Add({*size, 1, 1}, end - begin);
    }
  }
  return sizes;
}

std::optional<ShapePlan> PlanOf(VaryingDim dim) {
  PlanOptions options;
  const bool is_recorded = std::ranges::all_of(*dim.group, &CalledSizes::is_recorded);
  options.is_censored = !is_recorded;
  Expected<BucketReport> report = PlanBuckets(HistoryOf(dim), options);
  if (!report) {
    // For example, if all sizes are 0 there is nothing to plan.
    llvm::consumeError(report.takeError());
    return std::nullopt;
  }
  report->columns = {dim.Name()};
  ShapePlan plan;
  plan.where = dim.group->front()->where;
  plan.dim = dim.Name();
  plan.same = std::move(dim.same);
  plan.distinct = dim.sizes.size();
  plan.processes = dim.group->size();
  plan.is_recorded = is_recorded;
  plan.is_incomplete = std::ranges::any_of(*dim.group, &CalledSizes::is_incomplete);
  plan.report = std::move(*report);
  return plan;
}

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

RunPage MakeRunPage(const Session& session, const std::vector<Finding>& findings,
                    RecordedFunctions recorded) {
  RunPage page;
  // Batches of a loader have sizes, but are not compiled.
  const auto loaders = std::ranges::stable_partition(
      recorded, [](const auto& function) { return function->is_compiled; });
  const RecordedFunctions batches(std::make_move_iterator(loaders.begin()),
                                  std::make_move_iterator(loaders.end()));
  recorded.erase(loaders.begin(), loaders.end());
  const RunFunctions functions = FunctionsOfRun(session, recorded);

  // Simulate the calls unchanged and with other settings.
  RunPredictionOptions options;
  options.policies = PoliciesOf(findings, functions);
  options.simulator.assume_no_questions = true;
  if (Error error = PredictFunctions(options, functions,
                                     LinkFunctions(session, /*probes=*/nullptr, functions),
                                     page.prediction)) {
    // Every what-if applies to some function, so no error can occur.
    llvm::consumeError(std::move(error));
  }

  // Plan buckets for the dims that vary most.
  PlanShapes(SizesOf(functions, recorded, batches), page);

  // Count guards.
  page.guards = FindGuardHeat(session);
  page.functions_guarded = page.guards.size();
  if (page.guards.size() > kMaxGuardRows) page.guards.resize(kMaxGuardRows);
  return page;
}

Error ReportOnRun(const LintOptions& options, FileSource& files, RunReport& report) {
  SplitInputs inputs = SplitRecords(options.paths, files);
  RecordedFunctions recorded;
  Redactor* const redactor = options.read.redactor;
  std::vector<std::string> unread = std::move(inputs.unread);
  if (redactor != nullptr) redactor->Redact(TextKind::kProse, unread);
  for (std::string& message :
       ReadRunRecords(inputs.records, files, redactor, recorded, report.records)) {
    unread.push_back(std::move(message));
  }
  LintOptions logs = options;
  logs.paths = std::move(inputs.others);
  logs.has_calls |= !report.records.empty();
  logs.read.guard_texts = true;
  Expected<LintResult> result = Lint(logs, files, report.session);
  if (!result) return result.takeError();
  report.result = std::move(*result);
  report.result.unread.insert(report.result.unread.begin(), unread.begin(), unread.end());
  report.page = MakeRunPage(report.session, report.result.findings, std::move(recorded));
  return Error::success();
}

void PlanShapes(const std::vector<CalledSizes>& calls, RunPage& page) {
  const std::vector<Group> groups = GroupByPlace(calls);
  std::vector<VaryingDim> dims;
  for (const Group& group : groups) std::ranges::move(DimsOf(group), std::back_inserter(dims));
  page.varying_dims = dims.size();
  // Groups and dims are in a total order, which the stable sort keeps among ties.
  std::ranges::stable_sort(dims, std::greater(),
                           [](const VaryingDim& dim) { return dim.sizes.size(); });
  for (VaryingDim& dim : dims) {
    if (page.plans.size() == kMaxShapePlans) break;
    if (std::optional<ShapePlan> plan = PlanOf(std::move(dim))) {
      page.plans.push_back(std::move(*plan));
    }
  }
}

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
