#include "dynamo/run_function.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "dynamo/body_of_run.h"
#include "dynamo/body_parts.h"
#include "dynamo/logged_values.h"
#include "model/resume_name.h"

namespace shapewise {
namespace {

using RunFunctions = std::vector<std::unique_ptr<RunFunction>>;

/// Longer histories are not simulated call by call.
constexpr size_t kMaxCalls = 1'000'000;

/// In larger runs nothing is linked: time grows with the square of the number of functions.
constexpr size_t kMaxFunctions = 256;

/// Whether all calls of `function` are known, and nothing but calls matters.
bool HasAllCalls(const RunFunction& function) {
  return function.origin == HistoryOrigin::kCalls && !function.history.is_lower_bound &&
         function.unmodelled.empty() && !function.was_reset && function.frame &&
         function.history.calls.size() <= kMaxCalls &&
         std::ranges::none_of(function.history.sources, [&](StrId source) {
           return function.history.strings.text(source).starts_with(kGuardPrefix);
         });
}

/// The function that compile ids call `frame`; absent if it is not one of the first process.
std::optional<size_t> FindFrame(const RunFunctions& functions, int32_t rank, uint32_t frame,
                                const std::string& name) {
  const auto found = std::ranges::find_if(functions, [&](const auto& function) {
    return function->frame == frame && function->rank == rank && function->where.function == name;
  });
  if (found == functions.end()) return std::nullopt;
  return static_cast<size_t>(found - functions.begin());
}

/// Whether the simulation of all frames together compiles what the run compiled for each.
bool PredictsRun(const LinkedFunctions& linked, const RunFunctions& functions) {
  const RunFunction& root = *functions[linked.functions.front()];
  const Prediction prediction = SimulateLinked(linked, root, root.policy, {});
  if (!prediction.is_exact) return false;
  for (size_t frame = 0; frame < linked.functions.size(); ++frame) {
    const LoggedCompiles& logged = functions[linked.functions[frame]]->logged;
    const PredictedTotals& predicted = prediction.frames[frame];
    if (!logged.is_reported || predicted.compiles() != logged.graphs + logged.empty ||
        predicted.limit_hits != logged.limit_hits || predicted.error_calls != logged.failed) {
      return false;
    }
  }
  return true;
}

std::optional<LinkedFunctions> Link(LinkedBodies& bodies, size_t root,
                                    const RunFunctions& functions) {
  const RunFunction& function = *functions[root];
  LinkedBody linked = bodies.Read(*function.frame, function.where);
  if (linked.frames.size() < 2) return std::nullopt;
  LinkedFunctions result;
  for (size_t frame = 0; frame < linked.frames.size(); ++frame) {
    const auto found =
        FindFrame(functions, function.rank, linked.frames[frame], linked.body.frames[frame].name);
    // A function that is called by itself, too, has calls that do not follow from those of another.
    if (!found || (frame > 0 && functions[*found]->origin == HistoryOrigin::kCalls)) {
      return std::nullopt;
    }
    result.functions.push_back(*found);
  }
  if (result.functions.front() != root) return std::nullopt;
  if (!function.body.frames.empty()) {
    linked.body.frames.front().are_objects_alike = function.body.frames.front().are_objects_alike;
  }
  result.body = std::move(linked.body);
  if (!PredictsRun(result, functions)) return std::nullopt;
  return result;
}

/// The tensor after a break that is not the same in all calls, as a reason; empty: none. Its sizes,
/// and whether it is a view, then depend on the path of the function before.
std::string WhyTensorsDiffer(const BodyFacts& body) {
  for (const BodyFrame& frame : body.frames) {
    const auto input = std::ranges::find_if(frame.inputs, &ResumeInput::differs);
    if (input == frame.inputs.end()) continue;
    return input->source + " in " + frame.name +
           ", after a graph break, is an argument in some calls and another tensor in others";
  }
  return {};
}

}  // namespace

Prediction SimulateLinked(const LinkedFunctions& linked, const RunFunction& first,
                          const CompilePolicy& policy, SimulatorOptions options) {
  options.torch = first.torch;
  Prediction unknown;
  if (policy != first.policy) unknown.why = WhyTensorsDiffer(linked.body);
  if (!unknown.why.empty()) return unknown;
  return Simulate(first.history, linked.body, policy, options);
}

std::vector<LinkedFunctions> LinkFunctions(const Session& session, const RunProbes* probes,
                                           const RunFunctions& functions) {
  std::vector<LinkedFunctions> all;
  std::set<std::string_view> resumed;  // names of functions with resume functions
  for (const auto& function : functions) {
    if (const auto resume = ParseResumeName(function->where.function)) {
      resumed.insert(resume->function);
    }
  }
  if (resumed.empty() || functions.size() > kMaxFunctions) return all;
  std::unique_ptr<LinkedBodies> bodies;
  for (size_t root = 0; root < functions.size(); ++root) {
    const RunFunction& function = *functions[root];
    const bool has_parts = resumed.contains(function.where.function);
    if (!has_parts || !HasAllCalls(function) || function.rank != FirstRank(session)) continue;
    if (bodies == nullptr) bodies = std::make_unique<LinkedBodies>(session, probes);
    if (auto linked = Link(*bodies, root, functions)) all.push_back(std::move(*linked));
  }
  return all;
}

}  // namespace shapewise
