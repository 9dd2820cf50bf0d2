// The totals of a run, and what runs eagerly in it.

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "causes/cause.h"
#include "causes/compile_costs.h"
#include "causes/compile_ledger.h"
#include "causes/display_name.h"
#include "causes/version_range.h"
#include "model/resume_name.h"

namespace shapewise {
namespace {

using PlaceKey = std::tuple<std::string_view, uint32_t, std::string_view>;  // file, line, function

// All functions that were compiled; resume functions are listed under the function that broke.
class CompiledFunctions {
 public:
  explicit CompiledFunctions(const Session& session);

  /// The resume functions of the function at `where`: those with its name that begin in it.
  std::vector<Place> ResumeFunctionsOf(const Place& where) const;

 private:
  using Name = std::pair<std::string_view, std::string_view>;  // file, function

  std::map<Name, std::set<uint32_t>> first_lines_;
  // By the function that broke, then by line and name; the value is the file, if known.
  std::map<std::string_view, std::map<std::pair<uint32_t, std::string>, std::set<std::string_view>>>
      resumes_;
};

CompiledFunctions::CompiledFunctions(const Session& session) {
  std::set<DetailId> seen;
  for (const Event& event : session.events()) {
    if (!seen.insert(event.detail).second) continue;
    const EventDetail& detail = session.detail(event);
    const std::string_view function = session.text(detail.function);
    const std::string_view file = session.text(detail.file);
    if (function.empty()) continue;
    if (detail.kind() == EventKind::kImpliedBreak) {
      // The event contains the parts of a resume function's name.
      const std::string resume = "torch_dynamo_resume_in_" + std::string(function) + "_at_" +
                                 std::to_string(detail.user_line);
      resumes_[function][{detail.user_line, resume}].insert(file);
    } else if (const auto resume = ParseResumeName(function)) {
      const uint32_t line = resume->line != 0 ? resume->line : detail.function_line;
      resumes_[resume->function][{line, std::string(function)}].insert(file);
    } else if (detail.function_line != 0) {
      first_lines_[{file, function}].insert(detail.function_line);
    }
  }
}

std::vector<Place> CompiledFunctions::ResumeFunctionsOf(const Place& where) const {
  std::vector<Place> below;
  const auto resumes = resumes_.find(where.function);
  if (resumes == resumes_.end()) return below;
  // Another function of that name may follow in the file: what begins after it is not part of this
  // one.
  uint32_t end = std::numeric_limits<uint32_t>::max();
  const auto lines = first_lines_.find({where.file, where.function});
  if (lines != first_lines_.end()) {
    const auto next = lines->second.upper_bound(where.line);
    if (next != lines->second.end()) end = *next;
  }
  for (const auto& [name, files] : resumes->second) {
    const auto& [line, function] = name;
    if (!files.contains(where.file) && !files.contains("")) continue;
    if (line != 0 && (line < where.line || line >= end)) continue;
    below.push_back({function, where.file, line});
  }
  return below;
}

std::vector<EagerFunction> EagerFunctions(const Session& session,
                                          const std::vector<Cause>& causes) {
  std::map<PlaceKey, EagerFunction> functions;
  for (const Cause& cause : causes) {
    if (!cause.limit_hit || cause.limit_raised) continue;
    EagerFunction& function = functions[{cause.where.file, cause.where.line, cause.where.function}];
    function.where = cause.where;
    if (StandsForUser(cause.where.function, cause.where.file, cause.user)) {
      function.user_function = cause.user.function;
    }
    function.limit = std::max(function.limit, cause.limit);
  }
  std::vector<EagerFunction> sorted;
  if (functions.empty()) return sorted;
  const CompiledFunctions compiled(session);
  for (auto& [key, function] : functions) {
    function.below = compiled.ResumeFunctionsOf(function.where);
    sorted.push_back(std::move(function));
  }
  return sorted;
}

// Total seconds of all compilations with a known duration.
std::optional<double> CompileSecondsOf(const CompileLedger& ledger) {
  std::optional<Micros> all = ledger.printed_micros();
  for (const LedgerEntry& entry : ledger.entries()) AddMicros(all, entry.whole);
  if (!all) return std::nullopt;
  return ToSeconds(*all);
}

}  // namespace

RunSummary Summarize(const Session& session, const std::vector<Cause>& causes,
                     const CompileLedger& ledger) {
  RunSummary summary;
  std::set<int32_t> ranks;
  for (const Event& event : session.events()) {
    const EventDetail& detail = session.detail(event);
    if (event.rank != kNoRank) ranks.insert(event.rank);
    switch (detail.kind()) {
      case EventKind::kRecompile:
        summary.recompiles += event.times();
        break;
      case EventKind::kRecompileLimit:
        summary.recompile_limit_hits += event.times();
        break;
      case EventKind::kGraphBreak:
        summary.graph_breaks += event.times();
        break;
      case EventKind::kSkippedFrame:
        summary.skipped_frames += event.times();
        break;
      case EventKind::kCompile:
        summary.compiles += event.times();
        break;
      default:
        break;
    }
  }
  summary.costs = SumCompileCosts(session, ledger);
  summary.compile_seconds = CompileSecondsOf(ledger);
  summary.graph_break_sites =
      static_cast<uint64_t>(std::count_if(causes.begin(), causes.end(), [](const Cause& cause) {
        return cause.kind == CauseKind::kGraphBreak;
      }));
  for (const Compilation& compilation : session.compilations()) {
    if (compilation.rank != kNoRank) ranks.insert(compilation.rank);
  }
  summary.ranks.assign(ranks.begin(), ranks.end());
  summary.eager_functions = EagerFunctions(session, causes);

  const VersionRange range = FitVersion(session);
  summary.torch = FormatVersionRange(range);
  summary.torch_why = range.known() ? range.why : std::string();

  for (const Input& input : session.inputs()) {
    summary.lines += input.lines;
    summary.unknown_lines += input.unknown_lines;
  }
  for (size_t stat = 0; stat < kNumStats; ++stat) {
    if (kStatInfos[stat].grade == StatGrade::kDataLoss) {
      summary.damaged += session.stats().count(stat).times;
    }
  }
  return summary;
}

}  // namespace shapewise
