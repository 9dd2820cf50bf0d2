#include "advise/run_model.h"

#include <algorithm>
#include <tuple>

#include "causes/display_name.h"

namespace shapewise {
namespace {

std::tuple<std::string, std::string, uint32_t> KeyOf(const Place& place) {
  return {place.file, place.function, place.line};
}

bool HasUntoldInt(const CompiledFrame& frame) {
  return std::ranges::any_of(frame.misses, [](const Miss& miss) {
    return std::ranges::any_of(miss.entries, [](const FailedEntry& entry) {
      return std::ranges::any_of(entry.guards, [](const FailedGuard& guard) {
        return guard.guard_class == GuardClass::kInt && !guard.actual;
      });
    });
  });
}

/// The seconds of the compilations that do not happen, where the simulator tells how many those
/// are: of those that the reasons name, or of as many average ones.
std::optional<double> ScaledSeconds(std::optional<double> seconds, const FrameEstimate& estimate,
                                    const CompiledFrame& frame, uint64_t after) {
  if (estimate.entries == after) return seconds;
  if (after >= frame.entries()) return std::nullopt;
  double sum = 0;
  uint64_t told = 0;
  for (size_t i = 1; i < frame.seconds.size(); ++i) {
    if (!frame.seconds[i]) continue;
    sum += *frame.seconds[i];
    ++told;
  }
  if (told == 0) return std::nullopt;
  return sum / static_cast<double>(told) * static_cast<double>(frame.entries() - after);
}

}  // namespace

RunModel::RunModel(const Session& session, const StepReport& steps,
                   const std::vector<std::unique_ptr<RecordedFunction>>& recorded)
    : frames_(ReadCompiledFrames(session)), functions_(FunctionsOfRun(session, recorded)) {
  for (size_t i = 0; i < frames_.size(); ++i) {
    const Place& where = frames_[i].where;
    by_place_[KeyOf(where)].push_back(i);
    const auto name = ParseResumeName(where.function);
    if (name) resumes_[{where.file, name->line}].push_back(i);
    const std::string function(name ? name->function : std::string_view(where.function));
    by_function_[{where.file, function}].push_back(i);
  }
  for (const CompiledFrame& frame : frames_) {
    std::set<std::string>& sources = sources_.emplace_back();
    for (const Miss& miss : frame.misses) {
      for (const Variable& variable : miss.newly_free) sources.insert(variable.source);
      for (const FailedEntry& entry : miss.entries) {
        for (const FailedGuard& guard : entry.guards) {
          sources.insert(guard.variable.source);
          for (const Variable& size : guard.sizes) sources.insert(size.source);
        }
      }
    }
  }
  FindTrusted();
  for (const StepTrack& track : steps.tracks) {
    for (const SlowStep& step : track.slow) {
      if (step.cause != SlowCause::kRecompile) continue;
      slow_events_.emplace_back(step.events.begin(), step.events.end());
    }
  }
}

void RunModel::FindTrusted() {
  using FrameName = std::tuple<PlaceKey, int32_t, std::string>;  // place, rank, number
  std::map<FrameName, std::vector<size_t>> frames;
  for (size_t i = 0; i < frames_.size(); ++i) {
    frames[{KeyOf(frames_[i].where), frames_[i].rank, frames_[i].number}].push_back(i);
  }
  std::map<FrameName, std::vector<const RunFunction*>> functions;
  for (const auto& function : functions_) {
    functions[{KeyOf(function->where), function->rank, function->frame}].push_back(function.get());
  }
  for (const auto& [name, indices] : frames) {
    const auto found = functions.find(name);
    // Where the name does not tell which is which, nothing is known of either.
    if (indices.size() != 1 || found == functions.end() || found->second.size() != 1) continue;
    const RunFunction& function = *found->second.front();
    if (!function.unmodelled.empty() || function.history.calls.empty()) continue;
    Prediction prediction =
        Simulate(function.history, function.body, function.policy, OptionsFor(function));
    const CompiledFrame& frame = frames_[indices.front()];
    if (!prediction.is_exact || prediction.totals.entries != frame.entries()) continue;
    // The reason of a miss on an int does not tell what came: then no value is known that another
    // policy could make the same of.
    if (function.origin == HistoryOrigin::kMisses && HasUntoldInt(frame)) continue;
    trusted_[indices.front()] = {&function, std::move(prediction)};
  }
}

SimulatorOptions RunModel::OptionsFor(const RunFunction& function) {
  const bool is_known = !function.body.frames.empty() &&
                        function.body.frames.front().knowledge != BodyKnowledge::kUnknown;
  SimulatorOptions options;
  options.torch = function.torch;
  options.keep_calls = false;
  options.assume_no_questions = !is_known;
  return options;
}

bool RunModel::IsWellKnown(size_t frame) const {
  const auto at = trusted_.find(frame);
  return at != trusted_.end() && at->second.function->origin != HistoryOrigin::kMisses &&
         at->second.function->untold_misses == 0;
}

std::optional<Prediction> RunModel::SimulateFrame(size_t frame,
                                                  const std::vector<CodeChange>& changes) const {
  const auto at = trusted_.find(frame);
  if (at == trusted_.end()) return std::nullopt;
  if (!IsPolicy(changes)) return std::nullopt;
  const RunFunction& function = *at->second.function;
  CompilePolicy policy = function.policy;
  ApplyChanges(changes, frames_[frame].where, policy);
  Prediction prediction = Simulate(function.history, function.body, policy, OptionsFor(function));
  if (!prediction.is_exact) return std::nullopt;
  return prediction;
}

uint64_t RunModel::compiles() const {
  uint64_t sum = 0;
  for (const CompiledFrame& frame : frames_) sum += frame.entries();
  return sum;
}

Saving RunModel::Evaluate(const std::vector<CodeChange>& changes) const {
  Saving saving;
  Entries entries;
  std::set<size_t> avoided;
  bool is_all_simulated = true;
  for (const size_t i : FramesOf(changes)) {
    const CompiledFrame& frame = frames_[i];
    const std::vector<CodeChange> own = OwnChanges(i, changes);
    if (own.empty()) continue;
    const FrameEstimate estimate = EstimateFrame(frame, own);
    entries[i] = estimate.entries;
    avoided.insert(estimate.avoided.begin(), estimate.avoided.end());
    std::optional<double> seconds = estimate.seconds;
    bool hits_limit = estimate.hits_limit;
    if (const std::optional<Prediction> simulated = SimulateFrame(i, own)) {
      const Prediction& before = trusted_.at(i).as_it_was;
      entries[i] = simulated->totals.entries;
      hits_limit = simulated->totals.limit_hits > 0;
      if (simulated->totals.error_calls > before.totals.error_calls) ++saving.raises;
      seconds = ScaledSeconds(seconds, estimate, frame, entries[i]);
    } else {
      is_all_simulated = false;
    }
    if (seconds) saving.seconds = saving.seconds.value_or(0) + *seconds;
    const bool did_hit =
        std::ranges::any_of(frame.misses, [](const Miss& miss) { return miss.hit_limit; });
    if (did_hit && !hits_limit) ++saving.eager_functions;
  }
  const bool has_breaks = std::ranges::any_of(changes, [](const CodeChange& change) {
    return change.kind == CodeChange::Kind::kRemoveBreak;
  });
  MergeFrames(changes, entries);
  if (!entries.empty()) {
    saving.basis =
        is_all_simulated && !has_breaks ? SavingBasis::kSimulated : SavingBasis::kEstimated;
  }
  saving.functions = CountFunctions(changes, entries);
  uint64_t before = 0;
  uint64_t after = 0;
  for (const FunctionCompiles& function : saving.functions) {
    before += function.before;
    after += function.after;
  }
  saving.compiles = before - std::min(before, after);
  if (TellsSteps()) {
    saving.slow_steps = std::ranges::count_if(slow_events_, [&](const std::set<size_t>& events) {
      return !events.empty() && std::ranges::includes(avoided, events);
    });
  }
  return saving;
}

std::vector<CodeChange> RunModel::OwnChanges(size_t frame,
                                             const std::vector<CodeChange>& changes) const {
  std::vector<CodeChange> own;
  for (const CodeChange& change : changes) {
    const bool is_source = change.kind == CodeChange::Kind::kDynamicSource ||
                           change.kind == CodeChange::Kind::kUnbackedSource;
    if (is_source ? sources_[frame].contains(change.source)
                  : Concerns(change, frames_[frame].where)) {
      own.push_back(change);
    }
  }
  return own;
}

std::set<size_t> RunModel::FramesOf(const std::vector<CodeChange>& changes) const {
  std::set<size_t> concerned;
  for (const CodeChange& change : changes) {
    if (change.function == Place{}) {
      for (size_t i = 0; i < frames_.size(); ++i) concerned.insert(i);
      break;
    }
    const auto found = by_place_.find(KeyOf(change.function));
    if (found != by_place_.end()) concerned.insert(found->second.begin(), found->second.end());
  }
  return concerned;
}

void RunModel::MergeFrames(const std::vector<CodeChange>& changes, Entries& entries) const {
  // In the order of their lines, so that what is left of a rest has been joined already.
  std::vector<const CodeChange*> breaks;
  for (const CodeChange& change : changes) {
    if (change.kind == CodeChange::Kind::kRemoveBreak) breaks.push_back(&change);
  }
  std::ranges::stable_sort(breaks, {}, [](const CodeChange* change) { return change->line; });
  std::map<size_t, size_t> joined;  // frames that are part of another one now
  for (const CodeChange* change : breaks) {
    const auto found = resumes_.find({change->function.file, change->line});
    if (found == resumes_.end()) continue;
    for (const size_t rest : found->second) {
      if (joined.contains(rest)) continue;
      std::optional<size_t> before = FrameBefore(rest);
      while (before && joined.contains(*before)) before = joined[*before];
      if (!before) continue;
      const uint64_t of_rest = entries.try_emplace(rest, frames_[rest].entries()).first->second;
      uint64_t& of_both = entries.try_emplace(*before, frames_[*before].entries()).first->second;
      of_both = std::max(of_both, of_rest);
      entries[rest] = 0;
      joined[rest] = *before;
    }
  }
}

std::optional<size_t> RunModel::FrameBefore(size_t rest) const {
  const CompiledFrame& frame = frames_[rest];
  const auto name = ParseResumeName(frame.where.function);
  std::optional<size_t> found;
  uint32_t found_line = 0;
  if (!name) return std::nullopt;
  for (const size_t i : by_function_.at({frame.where.file, std::string(name->function)})) {
    const CompiledFrame& other = frames_[i];
    const auto other_name = ParseResumeName(other.where.function);
    const uint32_t line = other_name ? other_name->line : other.where.line;
    const bool is_before =
        i != rest && line < name->line && other.input == frame.input && other.rank == frame.rank;
    if (!is_before || (found && line <= found_line)) continue;
    found = i;
    found_line = line;
  }
  return found;
}

std::vector<FunctionCompiles> RunModel::CountFunctions(const std::vector<CodeChange>& changes,
                                                       const Entries& entries) const {
  std::vector<FunctionCompiles> functions;
  std::map<PlaceKey, size_t> index;
  for (const auto& [frame, after] : entries) {
    const auto [at, is_new] = index.try_emplace(KeyOf(frames_[frame].where), functions.size());
    if (is_new) functions.emplace_back().where = frames_[frame].where;
    functions[at->second].before += frames_[frame].entries();
    functions[at->second].after += after;
  }
  std::erase_if(functions, [&](const FunctionCompiles& function) {
    return function.before == function.after &&
           std::ranges::none_of(changes, [&](const CodeChange& change) {
             return change.function != Place{} && Concerns(change, function.where);
           });
  });
  return functions;
}

}  // namespace shapewise
