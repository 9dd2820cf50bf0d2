#include "advise/run_model.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

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

/// Whether a size that varied is a constant for a reason that may be the code: then the code asks
/// something of its sizes.
bool MayNeedConstants(const CompiledFrame& frame) {
  return std::ranges::any_of(frame.constants, [](const auto& constant) {
    return constant.second != ConstantBy::kSetting && constant.second != ConstantBy::kMark;
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

RunModel::RunModel(std::vector<CompiledFrame> frames, const Session& session,
                   const std::vector<std::unique_ptr<RecordedFunction>>& recorded,
                   const RunProbes* probes)
    : frames_(std::move(frames)),
      functions_(FunctionsOfRun(session, recorded, probes)),
      linked_(LinkFunctions(session, probes, functions_)) {
  for (size_t i = 0; i < frames_.size(); ++i) by_place_[KeyOf(frames_[i].where)].push_back(i);
  for (const CompiledFrame& frame : frames_) {
    std::set<std::string>& sources = sources_.emplace_back();
    for (const Miss& miss : frame.misses) {
      for (const Variable& variable : miss.newly_changed) sources.insert(variable.source);
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
  std::map<FrameName, std::vector<size_t>> functions;
  for (size_t i = 0; i < functions_.size(); ++i) {
    const RunFunction& function = *functions_[i];
    functions[{KeyOf(function.where), function.rank, function.frame}].push_back(i);
  }
  std::map<size_t, size_t> frame_of;  // by index of the function
  for (const auto& [name, indices] : frames) {
    const auto found = functions.find(name);
    // If the name is ambiguous, nothing is known about either function.
    if (indices.size() != 1 || found == functions.end() || found->second.size() != 1) continue;
    frame_of[found->second.front()] = indices.front();
    const RunFunction& function = *functions_[found->second.front()];
    if (function.origin != HistoryOrigin::kCalls) continue;
    frames_[indices.front()].calls = &function.history;
  }
  for (const LinkedFunctions& linked : linked_) {
    std::vector<size_t> parts;
    for (const size_t function : linked.functions) {
      const auto found = frame_of.find(function);
      if (found != frame_of.end()) parts.push_back(found->second);
    }
    if (parts.size() < linked.functions.size()) continue;
    Trust(*functions_[linked.functions.front()], &linked, std::move(parts));
  }
  for (const auto& [function, frame] : frame_of) {
    if (!trusted_of_.contains(frame)) Trust(*functions_[function], nullptr, {frame});
  }
}

void RunModel::Trust(const RunFunction& function, const LinkedFunctions* linked,
                     std::vector<size_t> frames) {
  auto trusted = std::make_unique<Trusted>(&function, linked, std::move(frames));
  if (!ReproducesRun(*trusted)) return;
  for (const size_t frame : trusted->frames) trusted_of_[frame] = trusted_.size();
  if (linked != nullptr) {
    auto alone = std::make_unique<Trusted>(&function, nullptr, std::vector{trusted->frames[0]});
    if (ReproducesRun(*alone)) trusted->alone = std::move(alone);
  }
  trusted_.push_back(std::move(trusted));
}

bool RunModel::ReproducesRun(Trusted& trusted) const {
  const RunFunction& function = *trusted.function;
  const bool is_usable = function.unmodelled.empty() && function.unexplained_misses == 0;
  if (!is_usable || function.history.calls.empty()) return false;
  trusted.as_it_was = Simulated(trusted, function.policy);
  if (!trusted.as_it_was.is_exact) return false;
  for (size_t part = 0; part < trusted.frames.size(); ++part) {
    const CompiledFrame& frame = frames_[trusted.frames[part]];
    if (PartOf(trusted, trusted.as_it_was, part).compiles() != frame.entries()) return false;
    // The reason of a miss on an int does not contain the new value, so how another policy would
    // treat it is unknown.
    if (function.origin == HistoryOrigin::kMisses && HasUnknownInt(frame)) return false;
  }
  return true;
}

const PredictedTotals& RunModel::PartOf(const Trusted& trusted, const Prediction& prediction,
                                        size_t part) {
  return trusted.linked == nullptr ? prediction.totals : prediction.frames[part];
}

SimulatorOptions RunModel::OptionsFor(const Trusted& trusted) {
  const BodyFacts& body = trusted.linked == nullptr ? trusted.function->body : trusted.linked->body;
  const bool is_known =
      !body.frames.empty() && body.frames.front().knowledge != BodyKnowledge::kUnknown;
  SimulatorOptions options;
  options.torch = trusted.function->torch;
  options.keep_calls = false;
  options.assume_no_questions = !is_known;
  return options;
}

Prediction RunModel::Simulated(const Trusted& trusted, const CompilePolicy& policy) {
  const RunFunction& function = *trusted.function;
  return trusted.linked == nullptr
             ? Simulate(function.history, function.body, policy, OptionsFor(trusted))
             : SimulateLinked(*trusted.linked, function, policy, OptionsFor(trusted));
}

std::optional<Prediction> RunModel::SimulateTrusted(const Trusted& trusted,
                                                    const std::vector<CodeChange>& changes) const {
  const Place& where = frames_[trusted.frames.front()].where;
  CompilePolicy policy = trusted.function->policy;
  for (CodeChange change : changes) {
    // Sizes of parameters were constants, so that the log does not show what the code asks of them.
    if (change.kind == CodeChange::Kind::kFreeParameters) return std::nullopt;
    const auto is_affected = [&](size_t frame) { return Affects(change, frame); };
    if (std::ranges::none_of(trusted.frames, is_affected)) continue;
    if (!Concerns(change, where)) {
      // Code after a break has the options of the function before it, but arguments of its own.
      if (change.kind != CodeChange::Kind::kDynamicOption) return std::nullopt;
      change.function = where;
    }
    ApplyChanges({change}, where, policy);
  }
  Prediction prediction = Simulated(trusted, policy);
  if (!prediction.is_exact) return std::nullopt;
  return prediction;
}

uint64_t RunModel::compiles() const {
  uint64_t sum = 0;
  for (const CompiledFrame& frame : frames_) sum += frame.entries();
  return sum;
}

std::optional<Saving> RunModel::Evaluate(const std::vector<CodeChange>& changes) const {
  std::set<size_t> concerned;  // trusted functions
  for (const size_t frame : FramesOf(changes)) {
    const bool is_affected = std::ranges::any_of(
        changes, [&](const CodeChange& change) { return Affects(change, frame); });
    if (!is_affected) continue;
    const auto found = trusted_of_.find(frame);
    if (found == trusted_of_.end()) return std::nullopt;
    concerned.insert(found->second);
  }
  if (concerned.empty()) return std::nullopt;
  Saving saving;
  std::map<PlaceKey, FunctionCompiles> functions;
  for (const size_t index : concerned) {
    const Trusted* simulated_as = trusted_[index].get();
    std::optional<Prediction> simulated = SimulateTrusted(*simulated_as, changes);
    if (!simulated && simulated_as->alone != nullptr &&
        !AffectsCodeAfterBreak(changes, *simulated_as)) {
      simulated_as = simulated_as->alone.get();
      simulated = SimulateTrusted(*simulated_as, changes);
    }
    if (!simulated) return std::nullopt;
    const Trusted& trusted = *simulated_as;
    saving.assumes_no_questions |= OptionsFor(trusted).assume_no_questions;
    const Saving before = saving;
    for (size_t part = 0; part < trusted.frames.size(); ++part) {
      const PredictedTotals& totals = PartOf(trusted, *simulated, part);
      AddSaving(trusted, part, totals, saving);
      const CompiledFrame& frame = frames_[trusted.frames[part]];
      FunctionCompiles& function = functions[KeyOf(frame.where)];
      function.where = frame.where;
      function.before += frame.entries();
      function.after += totals.compiles();
    }
    const bool saves =
        saving.compiles > before.compiles || saving.eager_functions > before.eager_functions;
    if (saves && RestsOnConstants(trusted, changes)) return std::nullopt;
  }
  for (auto& [key, function] : functions) saving.functions.push_back(std::move(function));
  return saving;
}

bool RunModel::RestsOnConstants(const Trusted& trusted,
                                const std::vector<CodeChange>& changes) const {
  if (!OptionsFor(trusted).assume_no_questions) return false;
  return std::ranges::any_of(trusted.frames, [&](size_t frame) {
    return MayNeedConstants(frames_[frame]) &&
           std::ranges::any_of(changes, [&](const CodeChange& change) {
             return change.kind != CodeChange::Kind::kBuckets && Affects(change, frame);
           });
  });
}

void RunModel::AddSaving(const Trusted& trusted, size_t part, const PredictedTotals& simulated,
                         Saving& saving) const {
  const CompiledFrame& frame = frames_[trusted.frames[part]];
  if (simulated.error_calls > PartOf(trusted, trusted.as_it_was, part).error_calls) ++saving.raises;
  if (simulated.compiles() < frame.entries()) {
    const uint64_t avoided = frame.entries() - simulated.compiles();
    saving.compiles += avoided;
    const std::optional<double> seconds = SecondsOf(frame, avoided);
    if (seconds) saving.seconds = saving.seconds.value_or(0) + *seconds;
  }
  const bool did_hit =
      std::ranges::any_of(frame.misses, [](const Miss& miss) { return miss.hit_limit; });
  if (did_hit && simulated.limit_hits == 0) ++saving.eager_functions;
}

bool RunModel::AffectsCodeAfterBreak(const std::vector<CodeChange>& changes,
                                     const Trusted& trusted) const {
  return std::any_of(trusted.frames.begin() + 1, trusted.frames.end(), [&](size_t frame) {
    return std::ranges::any_of(changes,
                               [&](const CodeChange& change) { return Affects(change, frame); });
  });
}

bool RunModel::Affects(const CodeChange& change, size_t frame) const {
  const bool is_source = change.kind == CodeChange::Kind::kDynamicSource ||
                         change.kind == CodeChange::Kind::kUnbackedSource;
  return is_source ? sources_[frame].contains(change.source)
                   : Concerns(change, frames_[frame].where);
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
