#include "dynamo/simulator.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamo/call_inputs.h"
#include "dynamo/code_cache.h"
#include "dynamo/compile.h"
#include "dynamo/simulator_parts.h"
#include "dynamo/symbols.h"
#include "model/resume_name.h"

namespace shapewise {
namespace {

/// The first release that knows torch.compile(isolate_recompiles=True).
constexpr TorchVersion kIsolateSince{.major = 2, .minor = 13};

/// Code objects that one call may run: a body may come from any input, and each of its frames may
/// run the next one twice.
constexpr size_t kMaxFramesOfCall = 4096;

/// Remembered ends of calls: bounded, because wrappers times signatures can be many.
constexpr size_t kMaxSettled = size_t{1} << 26;

/// Calls that one policy processes before the next policy processes the same ones, so that their
/// data stays in the processor's cache.
constexpr size_t kBlockOfCalls = 1024;

/// One code object over the whole history.
struct SimulatedCode {
  explicit SimulatedCode(size_t regions, size_t inputs) : cache(regions), profile(inputs) {}

  CodeCache cache;
  std::vector<SourceProfile> profile;
  std::vector<SeededInput> seeded;
  std::vector<uint32_t> examples;  ///< signatures seen under eager_then_compile: at most two
};

/// How running a code object ended.
enum class RunEnd : uint8_t { kDone, kRaised, kUndecided };

class Simulation {
 public:
  Simulation(const CallHistory& history, const HistoryTensors& tensors, const BodyFacts& body,
             const CompilePolicy& policy, const SimulatorOptions& options)
      : history_(history),
        body_(body),
        policy_(policy),
        options_(options),
        inputs_(history, tensors, body, policy) {
    uint16_t wrappers = 0;
    for (const RecordedCall& call : history.calls) wrappers = std::max(wrappers, call.wrapper);
    is_isolated_ = policy.isolate_recompiles && options.torch >= kIsolateSince;
    const size_t regions = is_isolated_ ? size_t{wrappers} + 1 : 1;
    for (uint32_t frame = 0; frame < body.frames.size(); ++frame) {
      code_.push_back(std::make_unique<SimulatedCode>(regions, inputs_.InputsOf(frame).size()));
    }
    const size_t slots = history.signatures.size() * regions;
    if (!options.keep_calls && slots <= kMaxSettled) {
      settled_.resize(slots);
      is_served_.resize(slots);
    }
    regions_ = regions;
    prediction_.frames.resize(body.frames.size());
    prediction_.why = WhyNot();
    has_stopped_ = !prediction_.why.empty();
    if (options.keep_calls && !has_stopped_) prediction_.calls.reserve(history.calls.size());
  }

  /// Takes the history's next calls, `calls`.
  void Run(llvm::ArrayRef<RecordedCall> calls) {
    if (has_stopped_) return;
    for (const RecordedCall& call : calls) {
      if (!RunCall(call)) {
        has_stopped_ = true;
        return;
      }
      ++prediction_.known_calls;
    }
  }

  /// The entries of the function itself.
  const CodeCache& cache() const { return code_.front()->cache; }
  CallInputs& inputs() { return inputs_; }
  bool has_stopped() const { return has_stopped_; }
  const PredictedTotals& totals() const { return prediction_.totals; }

  /// The result over all calls.
  Prediction Finish() {
    prediction_.is_exact = !has_stopped_;
    if (made_assumption_ && prediction_.is_exact) {
      prediction_.assumed = "where the body is not known, it compares no sizes";
    }
    return std::move(prediction_);
  }

 private:
  /// Why no prediction is possible; empty: one is.
  std::string WhyNot() const {
    if (body_.frames.empty()) return "the body is not known";
    for (uint32_t frame = 0; frame < body_.frames.size(); ++frame) {
      for (const uint32_t next : body_.frames[frame].resumes) {
        // Resume functions come after the frame they resume, so a chain of them cannot be cyclic.
        if (next <= frame || next >= body_.frames.size()) return "the body contradicts itself";
      }
    }
    if (!policy_.policy.unknown_options.empty()) {
      return "what the option " + policy_.policy.unknown_options.front() + " does is not known";
    }
    if (regions_ == 1 && HasOwnConstants()) {
      const auto is_other = [&](const RecordedCall& call) {
        return call.wrapper != history_.calls.front().wrapper;
      };
      if (std::ranges::any_of(history_.calls, is_other)) {
        return "the attributes of the objects that are compiled may differ";
      }
    }
    return "";
  }

  /// Whether guards compare attributes, "L['self'].k", which are not inputs of a call.
  bool HasOwnConstants() const {
    for (const BodyFrame& frame : body_.frames) {
      if (frame.are_objects_alike) continue;
      for (const BodySource& source : frame.sources) {
        if (source.use == SourceUse::kConstant && source.source.find("'].") != std::string::npos) {
          return true;
        }
      }
    }
    return false;
  }

  bool RunCall(const RecordedCall& call) {
    region_ = is_isolated_ ? call.wrapper : 0;
    signature_ = call.signature;
    stance_ = call.stance;
    if (IsSettled()) return true;

    current_ = {};
    had_miss_ = false;
    has_changed_ = false;
    frames_run_ = 0;
    RunEnd end = RunEnd::kDone;
    if (stance_ != Stance::kForceEager) {
      end = RunFrame(0, stance_ == Stance::kEagerOnRecompile);
    }
    if (end == RunEnd::kUndecided) {
      prediction_.why = std::move(why_);
      return false;
    }
    current_.eager = num_ran_ == 0 && !goes_on_ && end == RunEnd::kDone;
    num_ran_ = 0;
    goes_on_ = false;
    PredictedTotals& totals = prediction_.totals;
    totals.eager_calls += current_.eager ? 1 : 0;
    totals.error_calls += end == RunEnd::kRaised ? 1 : 0;
    totals.limit_hits += current_.limits.size();
    if (!settled_.empty() && end == RunEnd::kDone && current_.limits.empty()) Settle();
    if (options_.keep_calls) prediction_.calls.push_back(std::move(current_));
    return true;
  }

  size_t Slot() const { return size_t{signature_} * regions_ + region_; }

  /// Whether this call ends like the last one of its signature; counts it if so.
  bool IsSettled() {
    if (settled_.empty() || stance_ != Stance::kDefault) return false;
    if (is_served_[Slot()]) return true;
    const Settled& settled = settled_[Slot()];
    if (settled.until_change != kForever && settled.until_change != changes_) return false;
    prediction_.totals.eager_calls += settled.is_eager ? 1 : 0;
    return true;
  }

  /// Records how the call ended. A served call is always served from then on, because entries are
  /// never dropped; an uncompiled call stays uncompiled until the next entry is made.
  void Settle() {
    if (stance_ != Stance::kDefault || has_changed_) return;
    is_served_[Slot()] = !had_miss_ && !current_.eager;
    settled_[Slot()] = {.until_change = had_miss_ ? changes_ : kForever,
                        .is_eager = current_.eager};
  }

  void NoteChange() {
    ++changes_;
    has_changed_ = true;
  }

  RunEnd Raise(std::string error) {
    current_.error = std::move(error);
    had_miss_ = true;
    return RunEnd::kRaised;
  }

  /// Looks a code object up, compiles it if needed, and runs what follows its graph. `run_only`: a
  /// frame above hit a limit, so nothing below is compiled.
  RunEnd RunFrame(uint32_t frame, bool run_only) {
    if (++frames_run_ > kMaxFramesOfCall) {
      why_ = "one call runs too many code objects";
      return RunEnd::kUndecided;
    }
    SimulatedCode& code = *code_[frame];
    if (code.cache.strategy(region_) == FrameStrategy::kSkip) {
      had_miss_ = true;
      return RunEnd::kDone;
    }
    run_only |= code.cache.strategy(region_) == FrameStrategy::kRunOnly;
    InputRow row;
    inputs_.Fill(frame, signature_, row, CallInputs::Lifetime::kCall);
    const CacheEntry* entry = nullptr;
    switch (code.cache.LookUp(region_, frame, signature_, row, inputs_, entry)) {
      case Truth::kTrue:
        return RunGraph(frame, *entry, run_only);
      case Truth::kUnknown:
        why_ = "whether an entry serves the call is not known: " + WhyUncertain(frame);
        return RunEnd::kUndecided;
      case Truth::kFalse:
        break;
    }
    had_miss_ = true;
    if (run_only) return RunUncompiled(frame);
    if (stance_ == Stance::kFailOnRecompile) return Raise("RuntimeError");
    return CompileFrame(frame);
  }

  std::string WhyUncertain(uint32_t frame) const {
    const BodyFrame& body = body_.frames[frame];
    if (!body.unknown_because.empty()) return body.unknown_because;
    if (body.knowledge == BodyKnowledge::kEqualities) {
      return "other sizes are equal to one another than at its compile";
    }
    if (body.knowledge == BodyKnowledge::kSizeQuestions) {
      return "what the body asks of its sizes is not known";
    }
    return "the body may ask more of its inputs than is known";
  }

  RunEnd RunGraph(uint32_t frame, const CacheEntry& entry, bool run_only) {
    num_ran_ += entry.graphs.size();
    goes_on_ |= body_.frames[frame].goes_on;
    if (options_.keep_calls) {
      current_.ran.insert(current_.ran.end(), entry.graphs.begin(), entry.graphs.end());
    }
    for (const uint32_t next : body_.frames[frame].resumes) {
      if (const RunEnd end = RunFrame(next, run_only); end != RunEnd::kDone) return end;
    }
    return RunEnd::kDone;
  }

  /// Runs the function uncompiled. No resume function runs then, but a function that it calls may
  /// have an entry of its own.
  RunEnd RunUncompiled(uint32_t frame) {
    ++prediction_.frames[frame].eager_calls;
    for (const uint32_t next : body_.frames[frame].resumes) {
      if (ParseResumeName(body_.frames[next].name)) continue;
      if (const RunEnd end = RunFrame(next, true); end != RunEnd::kDone) return end;
    }
    return RunEnd::kDone;
  }

  RunEnd CompileFrame(uint32_t frame) {
    SimulatedCode& code = *code_[frame];
    const CompilePolicy& policy = policy_.policy;
    NoteChange();
    if (stance_ == Stance::kAotEagerThenCompile) {
      why_ = "what the stance aot_eager_then_compile compiles is not known";
      return RunEnd::kUndecided;
    }
    if (stance_ == Stance::kEagerThenCompile && !TakeExample(frame)) return RunEnd::kDone;
    const size_t entries = code.cache.EntriesIn(region_);
    if (policy.error_on_recompile && entries > 0) return Raise("RecompileError");
    if (const char* limit = code.cache.PassLimit(region_, policy)) {
      current_.limits.push_back({.frame = body_.frames[frame].name, .type = limit});
      ++prediction_.frames[frame].limit_hits;
      if (policy.fullgraph || policy.fail_on_recompile_limit_hit) {
        return Raise("FailOnRecompileLimitHit");
      }
      code.cache.SetStrategy(region_, FrameStrategy::kRunOnly);
      return RunUncompiled(frame);
    }

    InputRow row;
    inputs_.Fill(frame, signature_, row, CallInputs::Lifetime::kSimulation);
    CompileResult result = Compile({.frame = frame,
                                    .signature = signature_,
                                    .row = row,
                                    .policy = policy_,
                                    .profile = code.profile,
                                    .seeded = code.seeded,
                                    .assume_no_questions = options_.assume_no_questions},
                                   inputs_);
    made_assumption_ |= result.made_assumption;
    PredictedTotals& own = prediction_.frames[frame];
    own.graphs += result.graphs;
    std::vector<uint32_t> graphs;
    for (uint32_t graph = 0; graph < result.graphs; ++graph) {
      graphs.push_back(static_cast<uint32_t>(prediction_.totals.graphs++));
    }
    if (options_.keep_calls) {
      current_.compiled.insert(current_.compiled.end(), graphs.begin(), graphs.end());
    }
    switch (result.outcome) {
      case CompileResult::Outcome::kUndecided:
        why_ = std::move(result.why);
        return RunEnd::kUndecided;
      case CompileResult::Outcome::kError:
        ++own.error_calls;
        return Raise(std::move(result.error));
      case CompileResult::Outcome::kEmptyGraph:
        ++prediction_.totals.empty;
        ++own.empty;
        code.cache.SetStrategy(region_, FrameStrategy::kSkip);
        return RunEnd::kDone;
      case CompileResult::Outcome::kEntry:
        break;
    }
    ++prediction_.totals.entries;
    ++own.entries;
    if (!result.entry->has_symbols) {
      prediction_.totals.static_graphs += graphs.size();
      own.static_graphs += graphs.size();
    }
    result.entry->graphs = std::move(graphs);
    return RunGraph(frame, code.cache.Insert(region_, std::move(result.entry)), false);
  }

  /// Under eager_then_compile: whether this call is compiled. The first is not, but what changes
  /// between it and the second is dynamic from then on.
  bool TakeExample(uint32_t frame) {
    SimulatedCode& code = *code_[frame];
    if (code.examples.size() < 2) code.examples.push_back(signature_);
    if (code.examples.size() < 2) return false;
    InputRow first;
    InputRow second;
    inputs_.Fill(frame, code.examples[0], first, CallInputs::Lifetime::kSimulation);
    inputs_.Fill(frame, code.examples[1], second, CallInputs::Lifetime::kSimulation);
    code.seeded.assign(first.size(), {});
    for (size_t input = 0; input < first.size(); ++input) {
      SeededInput& seeded = code.seeded[input];
      const InputTensor* const a = first[input].tensor;
      const InputTensor* const b = second[input].tensor;
      if (a != nullptr && b != nullptr && a->sizes.size() == b->sizes.size()) {
        for (size_t dim = 0; dim < a->sizes.size(); ++dim) {
          seeded.dims.push_back(a->sizes[dim] != b->sizes[dim]);
        }
      }
      seeded.value = first[input].value.kind == CallValue::Kind::kInt &&
                     first[input].value != second[input].value;
    }
    return true;
  }

  const CallHistory& history_;
  const BodyFacts& body_;
  ReadPolicy policy_;
  SimulatorOptions options_;
  CallInputs inputs_;
  std::vector<std::unique_ptr<SimulatedCode>> code_;
  bool is_isolated_ = false;  ///< every wrapper has entries of its own
  size_t regions_ = 1;
  /// How the calls of one signature end from now on.
  struct Settled {
    uint32_t until_change = 0;  ///< valid while `changes_` has this value, or kForever
    bool is_eager = false;
  };
  static constexpr uint32_t kForever = ~uint32_t{0};
  std::vector<Settled> settled_;  ///< by Slot(); empty: calls are kept
  /// Calls that always run graphs from now on: the answer for most calls, in bits that stay in the
  /// cache.
  std::vector<bool> is_served_;
  uint32_t changes_ = 1;  ///< compiles and limits so far, plus one

  size_t region_ = 0;
  uint32_t signature_ = 0;
  Stance stance_ = Stance::kDefault;
  PredictedCall current_;
  size_t num_ran_ = 0;
  bool goes_on_ = false;  ///< code that is not in the body runs graphs, as far as it has any
  bool had_miss_ = false;
  bool has_changed_ = false;
  size_t frames_run_ = 0;
  bool made_assumption_ = false;
  bool has_stopped_ = false;  ///< a call could not be decided
  std::string why_;
  Prediction prediction_;
};

/// A policy that serves calls through several functions: changes the calls, then simulates them.
Prediction SimulateServed(const CallHistory& history, const BodyFacts& body, CompilePolicy policy,
                          const SimulatorOptions& options) {
  Prediction prediction;
  if (policy.serving && options.torch < kIsolateSince) {
    prediction.why = "isolate_recompiles, which keeps compiled functions apart, needs PyTorch 2.13";
    return prediction;
  }
  CallHistory served;
  prediction.why = ServeCalls(history, policy, served);
  if (!prediction.why.empty()) return prediction;
  return Simulate(served, body, policy, options);
}

/// Whether the policies compile the same as long as no limit is hit.
bool IsSameUpToLimits(CompilePolicy own, const CompilePolicy& policy) {
  own.recompile_limit = policy.recompile_limit;
  own.accumulated_recompile_limit = policy.accumulated_recompile_limit;
  own.fail_on_recompile_limit_hit = policy.fail_on_recompile_limit_hit;
  return own == policy;
}

/// Whether marks may be on what a frame after a break takes as `input`.
bool MayBeMarked(const ResumeInput& input) {
  return input.use == SourceUse::kTensor && input.same_as.empty() && !input.is_new;
}

/// Why nothing can be said of marks of `policy` after graph breaks; empty: something can.
std::string WhyMarksAreUnknown(const BodyFacts& body, const CompilePolicy& policy) {
  if (policy.marks.empty() && !policy.serving) return {};
  for (const BodyFrame& frame : body.frames) {
    for (const ResumeInput& input : frame.inputs) {
      if (!MayBeMarked(input)) continue;
      return "it is not known whether " + input.source + " in " + frame.name +
             ", after a graph break, is a tensor that is marked";
    }
  }
  return {};
}

}  // namespace

bool ServesMissingCalls(const CallHistory& history, const BodyFacts& body, const CompilePolicy& own,
                        const CompilePolicy& policy, SimulatorOptions options) {
  const bool is_usual =
      body.frames.size() == 1 && !ChangesInputs(own) && !ChangesInputs(policy) &&
      !own.isolate_recompiles && !policy.isolate_recompiles &&
      std::ranges::all_of(history.calls, [&](const RecordedCall& call) {
        return call.stance == Stance::kDefault && call.wrapper == history.calls.front().wrapper;
      });
  if (!is_usual) return false;
  if (IsSameUpToLimits(own, policy)) return true;
  options.keep_calls = false;
  const HistoryTensors tensors(history);
  Simulation run(history, tensors, body, own, options);
  Simulation other(history, tensors, body, policy, options);
  for (size_t index = 0; index < history.calls.size(); ++index) {
    const auto call = llvm::ArrayRef(history.calls).slice(index, 1);
    run.Run(call);
    other.Run(call);
    if (run.has_stopped() || other.has_stopped()) return false;
    // A function without operators is never compiled again.
    if (run.totals().empty > 0 && other.totals().empty > 0) continue;
    if (run.cache().size() != index + 1) return false;
    const CacheEntry& made = run.cache().entry(index);
    bool is_covered = false;
    for (size_t entry = 0; entry < other.cache().size() && !is_covered; ++entry) {
      is_covered = Covers(other.cache().entry(entry), made, other.inputs());
    }
    if (!is_covered) return false;
  }
  return true;
}

std::vector<Prediction> SimulateAll(const CallHistory& history, const BodyFacts& body,
                                    llvm::ArrayRef<CompilePolicy> policies,
                                    const SimulatorOptions& options) {
  const HistoryTensors tensors(history);
  std::vector<std::unique_ptr<Simulation>> simulations;
  std::vector<std::string> unknown;  // why, by policy
  for (const CompilePolicy& policy : policies) {
    unknown.push_back(WhyMarksAreUnknown(body, policy));
    if (unknown.back().empty()) unknown.back() = WhyTieIsSplit(history, body, policy);
    if (ServesCalls(policy) || !unknown.back().empty()) continue;
    simulations.push_back(std::make_unique<Simulation>(history, tensors, body, policy, options));
  }
  llvm::ArrayRef<RecordedCall> calls = history.calls;
  while (!calls.empty()) {
    const llvm::ArrayRef<RecordedCall> block = calls.take_front(kBlockOfCalls);
    for (const std::unique_ptr<Simulation>& simulation : simulations) simulation->Run(block);
    calls = calls.drop_front(block.size());
  }
  std::vector<Prediction> predictions;
  size_t next = 0;
  for (size_t at = 0; at < policies.size(); ++at) {
    if (!unknown[at].empty()) {
      predictions.emplace_back().why = std::move(unknown[at]);
    } else if (ServesCalls(policies[at])) {
      predictions.push_back(SimulateServed(history, body, policies[at], options));
    } else {
      predictions.push_back(simulations[next++]->Finish());
    }
  }
  return predictions;
}

Prediction Simulate(const CallHistory& history, const BodyFacts& body, const CompilePolicy& policy,
                    const SimulatorOptions& options) {
  return std::move(SimulateAll(history, body, policy, options).front());
}

}  // namespace shapewise
