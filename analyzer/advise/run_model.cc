#include "advise/run_model.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace shapewise {
namespace {

std::tuple<std::string, std::string, uint32_t> KeyOf(const Place& place) {
  return {place.file, place.function, place.line};
}

bool HasUnknownInt(const CompiledFrame& frame) {
  return std::ranges::any_of(frame.misses, [](const Miss& miss) {
    return std::ranges::any_of(miss.entries, [](const FailedEntry& entry) {
      return std::ranges::any_of(entry.guards, [](const FailedGuard& guard) {
        return guard.guard_class == GuardClass::kInt && !guard.actual;
      });
    });
  });
}

/// Seconds of `avoided` compilations of average length, excluding the first one; absent: not in the
/// log.
std::optional<double> SecondsOf(const CompiledFrame& frame, uint64_t avoided) {
  double sum = 0;
  uint64_t known = 0;
  for (size_t i = 1; i < frame.seconds.size(); ++i) {
    if (!frame.seconds[i]) continue;
    sum += *frame.seconds[i];
    ++known;
  }
  if (known == 0) return std::nullopt;
  return sum / static_cast<double>(known) * static_cast<double>(avoided);
}

}  // namespace

RunModel::RunModel(const Session& session,
                   const std::vector<std::unique_ptr<RecordedFunction>>& recorded,
                   const RunProbes* probes)
    : frames_(ReadCompiledFrames(session)), functions_(FunctionsOfRun(session, recorded, probes)) {
  for (size_t i = 0; i < frames_.size(); ++i) by_place_[KeyOf(frames_[i].where)].push_back(i);
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
}

void RunModel::FindTrusted() {
  using FrameName = std::tuple<PlaceKey, int32_t, std::optional<uint32_t>>;  // place, rank, number
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
    // If the name is ambiguous, nothing is known about either function.
    if (indices.size() != 1 || found == functions.end() || found->second.size() != 1) continue;
    const RunFunction& function = *found->second.front();
    const bool is_usable = function.unmodelled.empty() && function.unexplained_misses == 0;
    if (!is_usable || function.history.calls.empty()) continue;
    Prediction prediction =
        Simulate(function.history, function.body, function.policy, OptionsFor(function));
    const CompiledFrame& frame = frames_[indices.front()];
    if (!prediction.is_exact || prediction.totals.entries != frame.entries()) continue;
    // The reason of a miss on an int does not contain the new value, so how another policy would
    // treat it is unknown.
    if (function.origin == HistoryOrigin::kMisses && HasUnknownInt(frame)) continue;
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

std::optional<Prediction> RunModel::SimulateFrame(size_t frame,
                                                  const std::vector<CodeChange>& changes) const {
  const auto at = trusted_.find(frame);
  if (at == trusted_.end()) return std::nullopt;
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

std::optional<Saving> RunModel::Evaluate(const std::vector<CodeChange>& changes) const {
  Saving saving;
  std::map<PlaceKey, FunctionCompiles> functions;
  for (const size_t i : FramesOf(changes)) {
    const CompiledFrame& frame = frames_[i];
    const std::vector<CodeChange> own = OwnChanges(i, changes);
    if (own.empty()) continue;
    const std::optional<Prediction> simulated = SimulateFrame(i, own);
    if (!simulated) return std::nullopt;
    const uint64_t after = simulated->totals.entries;
    const RunFunction& function_of_run = *trusted_.at(i).function;
    saving.assumes_no_questions |= OptionsFor(function_of_run).assume_no_questions;
    if (simulated->totals.error_calls > trusted_.at(i).as_it_was.totals.error_calls) {
      ++saving.raises;
    }
    if (after < frame.entries()) {
      const uint64_t avoided = frame.entries() - after;
      saving.compiles += avoided;
      const std::optional<double> seconds = SecondsOf(frame, avoided);
      if (seconds) saving.seconds = saving.seconds.value_or(0) + *seconds;
    }
    const bool did_hit =
        std::ranges::any_of(frame.misses, [](const Miss& miss) { return miss.hit_limit; });
    if (did_hit && simulated->totals.limit_hits == 0) ++saving.eager_functions;
    FunctionCompiles& function = functions[KeyOf(frame.where)];
    function.where = frame.where;
    function.before += frame.entries();
    function.after += after;
  }
  if (functions.empty()) return std::nullopt;
  for (auto& [key, function] : functions) saving.functions.push_back(std::move(function));
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

}  // namespace shapewise
