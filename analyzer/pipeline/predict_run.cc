#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "dynamo/policy_text.h"
#include "dynamo/run_function.h"
#include "ingest/call_record_reader.h"
#include "ingest/json_line_totals.h"
#include "ingest/reader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "model/compile_number.h"
#include "model/resume_name.h"
#include "pipeline/load_run.h"
#include "pipeline/predict.h"
#include "pipeline/run_inputs.h"
#include "redact/redact.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

bool HasPrediction(const PredictionReport& report) {
  return llvm::any_of(report.functions, [](const FunctionPrediction& function) {
    return llvm::any_of(function.outcomes,
                        [](const PolicyOutcome& one) { return one.prediction.is_exact; });
  });
}

using RunFunctions = std::vector<std::unique_ptr<RunFunction>>;

/// Longer histories are predicted without storing single calls, which take 150 bytes each and
/// additional time. A run's own policy has a larger limit than a what-if.
constexpr size_t kMaxKeptCalls = 1'000'000;
constexpr size_t kMaxKeptCallsOfWhatIf = 100'000;

/// Larger histories do not decide about missing calls: each entry is compared with each.
constexpr size_t kMaxDecidingCalls = 1000;

constexpr std::string_view kRunAsItIs = "as is";

/// The functions of a run, and which of them are simulated together.
struct ReadFunctions {
  RunFunctions functions;
  std::vector<LinkedFunctions> linked;
};

/// Reads the functions of the run, and adds call records and lengths.
Expected<ReadFunctions> ReadRun(const RunPredictionOptions& options, FileSource& files,
                                RunPrediction& run) {
  if (!options.logs.empty()) {
    ReadOptions read_options;
    read_options.guard_texts = true;
    read_options.redactor = options.redactor;
    run.report.unread = ReadInputs(options.logs, files, run.session, read_options);
  }
  RecordedFunctions recorded;
  Redactor* const redactor = options.redactor;
  const std::vector<std::string> calls =
      options.calls.empty() ? CallFoldersOf(options.logs) : options.calls;
  llvm::append_range(run.report.unread,
                     ReadRunRecords(calls, files, redactor, recorded, run.files));
  if (!options.lengths.empty()) {
    Expected<LengthShape> shape = ParseLengthShape(options.length_shape);
    if (!shape) return shape.takeError();
    const auto read = [&](const std::string& path) {
      recorded.push_back(std::make_unique<RecordedFunction>());
      recorded.back()->function = "lengths of " + NameOfInput(path, redactor);
      return ReadLengths(path, *shape, files, *recorded.back(), redactor);
    };
    llvm::append_range(run.report.unread,
                       ReadRecordFiles(options.lengths, files, redactor, read, run.files));
  }
  llvm::erase_if(recorded, [](const auto& function) { return !function->is_compiled; });
  const std::unique_ptr<RunProbes> probes = ReadProbes(options.logs, files, redactor);
  ReadFunctions read;
  RunFunctions& functions = read.functions;
  functions = FunctionsOfRun(run.session, recorded, probes.get());
  if (!options.function.empty()) {
    const std::string wanted = redactor == nullptr
                                   ? options.function
                                   : redactor->Rewrite(TextKind::kExpression, options.function);
    std::erase_if(functions, [&](const auto& f) { return f->where.function != wanted; });
  }
  if (options.body != nullptr) UseBody(*options.body, functions);
  read.linked = LinkFunctions(run.session, probes.get(), functions);
  return read;
}

/// Records the first call at which each kind of event occurs.
void RecordCalls(const std::vector<PredictedCall>& calls, PolicyOutcome& outcome) {
  outcome.has_calls = true;
  for (uint64_t number = 0; number < calls.size(); ++number) {
    const PredictedCall& call = calls[number];
    if (!call.compiled.empty() && outcome.compile_calls.size() < PolicyOutcome::kMaxCallsKept) {
      outcome.compile_calls.push_back(number);
    }
    if (!call.limits.empty() && !outcome.limit_call) outcome.limit_call = number;
    if (call.eager && !outcome.eager_call) outcome.eager_call = number;
    if (!call.error.empty() && !outcome.error_call) {
      outcome.error_call = number;
      outcome.error = call.error;
    }
  }
}

/// Predicts one run.
class Predictor {
 public:
  Predictor(const RunPredictionOptions& options, const RunFunctions& functions,
            const std::vector<LinkedFunctions>& linked, PredictionReport& report)
      : options_(options), functions_(functions), linked_(linked), report_(report) {}

  Error Predict() {
    if (Error error = CheckPolicies()) return error;
    report_.is_comparison = options_.is_comparison;
    report_.back_test = BackTestFunctions(functions_);
    for (size_t i = 0; i < functions_.size(); ++i) {
      AddFunction(*functions_[i], std::move(report_.back_test.rows[i]));
    }
    report_.back_test.rows.clear();
    for (const LinkedFunctions& linked : linked_) PredictLinked(linked);
    FindLowerBounds();
    AddTotals();
    AddGaps();
    return Error::success();
  }

 private:
  /// A tensor name that occurs in no function is a typo.
  Error CheckPolicies() const {
    const bool has_calls =
        llvm::any_of(functions_, [](const auto& f) { return !f->history.calls.empty(); });
    if (!has_calls) return Error::success();
    for (const PolicyChange& change : options_.policies) {
      std::set<std::string> unmatched;
      std::set<std::string> known;
      bool is_first = true;
      for (const std::unique_ptr<RunFunction>& function : functions_) {
        if (function->history.calls.empty()) continue;
        const AppliedPolicy applied = ApplyPolicy(change, function->policy, function->history);
        std::set<std::string> here(applied.unmatched.begin(), applied.unmatched.end());
        if (is_first) {
          unmatched = std::move(here);
        } else {
          std::erase_if(unmatched, [&](const std::string& name) { return !here.contains(name); });
        }
        is_first = false;
        for (std::string& name : TensorNames(function->history)) known.insert(std::move(name));
      }
      if (unmatched.empty()) continue;
      std::vector<std::string> names(known.begin(), known.end());
      if (names.size() > 8) names.resize(8);
      return MakeError("policy \"" + change.text + "\": no function takes a tensor '" +
                       *unmatched.begin() + "'" +
                       (names.empty() ? "" : "; there are: " + llvm::join(names, ", ")));
    }
    return Error::success();
  }

  void AddFunction(const RunFunction& function, BackTestRow row) {
    FunctionPrediction& one = report_.functions.emplace_back();
    one.where = function.where;
    one.rank = function.rank;
    one.frame = FrameText(function.frame);
    one.origin = row.origin;
    one.calls = function.history.calls.size();
    one.distinct_calls = function.history.signatures.size();
    one.is_lower_bound = function.history.is_lower_bound;
    one.is_probed = function.is_probed;
    one.probe_missed = function.probe_missed;
    one.unmodelled = function.unmodelled;
    if (one.unmodelled.empty() && function.history.calls.empty()) one.unmodelled = row.why;
    one.logged_seconds = function.logged.seconds;
    one.back_test = std::move(row);

    PolicyOutcome own;
    own.policy = kRunAsItIs;
    own.is_own = true;
    Simulate(function, function.policy, one, own);
    own.traps = PolicyTraps(function.history, function.body, function.policy);
    one.outcomes.push_back(own);
    AddWhatIfs(function, one);
  }

  void AddWhatIfs(const RunFunction& function, FunctionPrediction& one) const {
    std::vector<AppliedPolicy> applied;
    std::vector<CompilePolicy> policies;
    for (const PolicyChange& change : options_.policies) {
      applied.push_back(ApplyPolicy(change, function.policy, function.history));
      if (IsChange(applied.back(), function)) policies.push_back(applied.back().policy);
    }
    // Together they process a long history in one pass, without storing calls.
    std::vector<Prediction> predictions;
    if (one.unmodelled.empty() && function.history.calls.size() > kMaxKeptCallsOfWhatIf) {
      SimulatorOptions options = options_.simulator;
      options.torch = function.torch;
      options.keep_calls = false;
      predictions = SimulateAll(function.history, function.body, policies, options);
    }
    auto prediction = predictions.begin();
    for (size_t i = 0; i < applied.size(); ++i) {
      const bool is_done = prediction != predictions.end() && IsChange(applied[i], function);
      one.outcomes.push_back(WhatIf(options_.policies[i], applied[i], function, one,
                                    is_done ? &*prediction++ : nullptr));
    }
  }

  /// Whether `change` concerns a tensor of the function that `function` goes on with after a graph
  /// break: it may be there under any name, and another tensor may have its name.
  bool MayReach(const PolicyChange& change, const RunFunction& function) const {
    const auto resume = ParseResumeName(function.where.function);
    if (!resume) return false;
    return llvm::any_of(functions_, [&](const std::unique_ptr<RunFunction>& other) {
      const bool is_before = other->rank == function.rank &&
                             other->where.function == resume->function &&
                             other->where.file == function.where.file;
      if (!is_before && other.get() != &function) return false;
      const AppliedPolicy applied = ApplyPolicy(change, other->policy, other->history);
      return applied.is_applicable && ChangesInputs(applied.policy);
    });
  }

  static bool IsChange(const AppliedPolicy& applied, const RunFunction& function) {
    return applied.is_applicable && applied.policy != function.policy;
  }

  /// `done`: an existing prediction; null: make one.
  PolicyOutcome WhatIf(const PolicyChange& change, const AppliedPolicy& applied,
                       const RunFunction& function, const FunctionPrediction& one,
                       Prediction* done) const {
    PolicyOutcome outcome;
    if (MayReach(change, function)) {
      outcome.prediction.why =
          "it is not known which tensors of the function before reach it after the graph break";
    } else if (!IsChange(applied, function)) {
      outcome = one.outcomes.front();
      outcome.is_own = false;
      outcome.is_unchanged = true;
      outcome.traps.clear();
      if (!applied.is_applicable) {
        outcome.not_applicable =
            "it takes no tensor '" + llvm::join(applied.unmatched, "', '") + "'";
      }
    } else {
      if (done != nullptr) {
        outcome.prediction = std::move(*done);
        if (outcome.prediction.is_exact) {
          outcome.compile_seconds =
              PredictedCompileSeconds(outcome.prediction.totals, function.logged);
        }
      } else {
        Simulate(function, applied.policy, one, outcome);
      }
      outcome.traps = PolicyTraps(function.history, function.body, applied.policy);
    }
    outcome.policy = change.text;
    return outcome;
  }

  void Simulate(const RunFunction& function, const CompilePolicy& policy,
                const FunctionPrediction& one, PolicyOutcome& outcome) const {
    Prediction& prediction = outcome.prediction;
    if (!one.unmodelled.empty()) {
      prediction.why = one.unmodelled;
      return;
    }
    SimulatorOptions options = options_.simulator;
    options.torch = function.torch;
    options.keep_calls =
        function.history.calls.size() <= (outcome.is_own ? kMaxKeptCalls : kMaxKeptCallsOfWhatIf);
    prediction = shapewise::Simulate(function.history, function.body, policy, options);
    if (!prediction.is_exact) return;
    if (options.keep_calls) RecordCalls(prediction.calls, outcome);
    prediction.calls = std::vector<PredictedCall>();
    outcome.compile_seconds = PredictedCompileSeconds(prediction.totals, function.logged);
  }

  /// Replaces what is predicted for functions after graph breaks: their calls follow from those of
  /// the function that is called.
  void PredictLinked(const LinkedFunctions& linked) {
    const RunFunction& root = *functions_[linked.functions.front()];
    const Prediction own = SimulateLinked(linked, root, root.policy, options_.simulator);
    AddLinked(linked, own, 0);
    for (size_t i = 0; i < options_.policies.size(); ++i) {
      const AppliedPolicy applied = ApplyPolicy(options_.policies[i], root.policy, root.history);
      AddLinked(linked,
                IsChange(applied, root)
                    ? SimulateLinked(linked, root, applied.policy, options_.simulator)
                    : own,
                i + 1);
    }
    for (size_t frame = 1; frame < linked.functions.size(); ++frame) {
      FunctionPrediction& part = report_.functions[linked.functions[frame]];
      part.is_lower_bound = false;
      part.calls = root.history.calls.size() - own.frames.front().eager_calls;
      part.distinct_calls = root.history.signatures.size();
    }
  }

  /// Decides which predictions calls that are not known could add to. A run's own policy was
  /// measured. Under another one the same functions run with the same inputs if none of them fails
  /// or runs uncompiled.
  void FindLowerBounds() {
    for (FunctionPrediction& one : report_.functions) {
      const BackTestRow& row = one.back_test;
      const bool was_measured = row.verdict == BackTestVerdict::kEqual &&
                                row.logged_limit_hits == 0 && row.logged_failures == 0;
      one.outcomes.front().is_lower_bound = one.is_lower_bound && !was_measured;
    }
    for (size_t policy = 1; policy <= options_.policies.size(); ++policy) {
      const bool is_same_program = RunsTheSame(policy);
      for (size_t i = 0; i < functions_.size(); ++i) {
        FunctionPrediction& one = report_.functions[i];
        PolicyOutcome& outcome = one.outcomes[policy];
        outcome.is_lower_bound =
            one.is_lower_bound && !(is_same_program && IsComplete(*functions_[i], one, policy));
      }
    }
  }

  bool RunsTheSame(size_t policy) const {
    for (size_t i = 0; i < functions_.size(); ++i) {
      const RunFunction& function = *functions_[i];
      const Prediction& prediction = report_.functions[i].outcomes[policy].prediction;
      const PredictedTotals& totals = prediction.totals;
      const bool is_compiled = totals.eager_calls == 0 || totals.entries == 0;
      const bool was_compiled = function.logged.failed == 0 && function.logged.limit_hits == 0;
      if (!prediction.is_exact || !is_compiled || totals.limit_hits > 0 || totals.error_calls > 0 ||
          !was_compiled || ChangesInputs(PolicyOf(function, policy))) {
        return false;
      }
    }
    return true;
  }

  /// Whether the calls of `function` that are known decide about the others, too.
  bool IsComplete(const RunFunction& function, const FunctionPrediction& one, size_t policy) const {
    const bool is_as_logged = one.back_test.verdict == BackTestVerdict::kEqual &&
                              one.back_test.assumed.empty() && function.unexplained_misses == 0 &&
                              !function.was_reset && function.origin == HistoryOrigin::kCompiles &&
                              function.history.calls.size() <= kMaxDecidingCalls;
    if (!is_as_logged) return false;
    SimulatorOptions options = options_.simulator;
    options.torch = function.torch;
    return ServesMissingCalls(function.history, function.body, function.policy,
                              PolicyOf(function, policy), options);
  }

  CompilePolicy PolicyOf(const RunFunction& function, size_t policy) const {
    return ApplyPolicy(options_.policies[policy - 1], function.policy, function.history).policy;
  }

  /// Writes the parts of `prediction` to the outcomes number `index` of the functions.
  void AddLinked(const LinkedFunctions& linked, const Prediction& prediction, size_t index) {
    for (size_t frame = 1; frame < linked.functions.size(); ++frame) {
      const size_t function = linked.functions[frame];
      PolicyOutcome& outcome = report_.functions[function].outcomes[index];
      PolicyOutcome replaced;
      replaced.policy = outcome.policy;
      replaced.is_own = outcome.is_own;
      replaced.traps = std::move(outcome.traps);
      replaced.prediction.is_exact = prediction.is_exact;
      replaced.prediction.why = prediction.why;
      replaced.prediction.assumed = prediction.assumed;
      if (prediction.is_exact) {
        replaced.prediction.totals = prediction.frames[frame];
        replaced.compile_seconds =
            PredictedCompileSeconds(prediction.frames[frame], functions_[function]->logged);
      }
      outcome = std::move(replaced);
    }
  }

  void AddTotals() {
    const size_t count = options_.policies.size() + 1;
    for (size_t i = 0; i < count; ++i) {
      PolicyTotals& totals = report_.policies.emplace_back();
      totals.policy = i == 0 ? kRunAsItIs : options_.policies[i - 1].text;
      totals.compile_seconds = 0;
    }
    for (const FunctionPrediction& function : report_.functions) {
      const bool is_everywhere = llvm::all_of(function.outcomes, [&](const PolicyOutcome& o) {
        return InForce(o, function).prediction.is_exact;
      });
      report_.summed_functions += is_everywhere ? 1 : 0;
      for (size_t i = 0; i < count; ++i) {
        const PolicyOutcome& outcome = InForce(function.outcomes[i], function);
        ++(outcome.prediction.is_exact ? report_.policies[i].functions
                                       : report_.policies[i].unmodelled);
        if (is_everywhere) Add(outcome, report_.policies[i]);
      }
    }
    for (PolicyTotals& totals : report_.policies) {
      if (report_.summed_functions == 0) totals.compile_seconds.reset();
    }
  }

  /// A policy that names nothing in a function leaves it unchanged.
  static const PolicyOutcome& InForce(const PolicyOutcome& outcome,
                                      const FunctionPrediction& function) {
    return outcome.not_applicable.empty() ? outcome : function.outcomes.front();
  }

  static void Add(const PolicyOutcome& outcome, PolicyTotals& sum) {
    const PredictedTotals& totals = outcome.prediction.totals;
    sum.totals.graphs += totals.graphs;
    sum.totals.entries += totals.entries;
    sum.totals.empty += totals.empty;
    sum.totals.eager_calls += totals.eager_calls;
    sum.totals.error_calls += totals.error_calls;
    sum.totals.limit_hits += totals.limit_hits;
    sum.totals.static_graphs += totals.static_graphs;
    if (sum.compile_seconds && outcome.compile_seconds) {
      *sum.compile_seconds += *outcome.compile_seconds;
    } else {
      sum.compile_seconds.reset();
    }
  }

  /// Whether what a body asks of sizes leaves an outcome of function number `at` open, and another
  /// trace would show it: a probe traced the function with all dims marked already.
  bool LacksBody(size_t at) const {
    if (report_.functions[at].is_probed) return false;
    const std::vector<PolicyOutcome>& outcomes = report_.functions[at].outcomes;
    for (size_t i = 0; i < outcomes.size(); ++i) {
      const bool is_passed = i > 0 && MayReach(options_.policies[i - 1], *functions_[at]);
      if (!outcomes[i].prediction.is_exact && !is_passed) return true;
    }
    return false;
  }

  void AddGaps() {
    const bool is_recorded = llvm::any_of(report_.functions, [](const FunctionPrediction& one) {
      return one.origin == HistoryOrigin::kCalls;
    });
    size_t bounded = 0;
    size_t dropped = 0;
    size_t resumed = 0;
    size_t unmodelled = 0;
    const bool has_what_ifs = !options_.policies.empty();
    std::set<std::string> bounded_policies;
    for (size_t at = 0; at < report_.functions.size(); ++at) {
      const FunctionPrediction& function = report_.functions[at];
      bool is_bounded = function.is_lower_bound && !has_what_ifs;
      for (const PolicyOutcome& outcome : function.outcomes) {
        if (!outcome.is_lower_bound) continue;
        is_bounded = true;
        bounded_policies.insert(outcome.policy);
      }
      if (is_bounded) {
        ++(function.origin == HistoryOrigin::kCalls ? dropped : bounded);
        resumed += is_recorded && ParseResumeName(function.where.function) ? 1 : 0;
      }
      unmodelled += LacksBody(at) ? 1 : 0;
    }
    const size_t count = report_.functions.size();
    const auto share = [count](size_t part) {
      return count == 1 ? std::string("the function")
                        : std::to_string(part) + " of " + std::to_string(count) + " functions";
    };
    bounded -= resumed;
    std::string what = "the prediction";
    if (!bounded_policies.empty() && bounded_policies.size() < options_.policies.size()) {
      what = "what is predicted for " + llvm::join(bounded_policies, ", ");
    }
    if (resumed > 0) {
      report_.gaps.push_back(
          "Code after a graph break is not entered by a call, so the calls of " + share(resumed) +
          " are not recorded. They are known from what missed the cache: " + what +
          " is a lower bound.");
    }
    if (bounded > 0) {
      report_.gaps.push_back(
          "The calls of " + share(bounded) +
          " are known from what missed the cache: there may have been more, so " + what +
          " is a lower bound. A recorder contains every call (--calls).");
    }
    if (dropped > 0) {
      report_.gaps.push_back("The recorder had no room for all calls of " + share(dropped) +
                             ": what is predicted is a lower bound.");
    }
    if (unmodelled > 0 && !options_.simulator.assume_no_questions) {
      report_.gaps.push_back(
          "For " + share(unmodelled) +
          " it is not known well enough what the code does with sizes: a trace (TORCH_TRACE) of "
          "one run with all dims marked dynamic shows it, and --assume-no-questions assumes that "
          "it compares none.");
    }
  }

  const RunPredictionOptions& options_;
  const RunFunctions& functions_;
  const std::vector<LinkedFunctions>& linked_;
  PredictionReport& report_;
};

Prediction Unmodelled(std::string why) {
  Prediction prediction;
  prediction.why = std::move(why);
  return prediction;
}

Prediction Predict(const Scenario& scenario, const BodyFacts* body,
                   const SimulatorOptions& options) {
  if (!scenario.damage.empty()) return Unmodelled("the scenario is damaged: " + scenario.damage);
  if (!scenario.policy.unknown_options.empty()) {
    std::string names = Joined(scenario.policy.unknown_options, ", ");
    return Unmodelled("the policy sets what is not modelled: " + names);
  }
  if (body != nullptr) return Simulate(scenario.history, *body, scenario.policy, options);
  BodyFacts of_category = BodyOfCategory(scenario.category);
  BodyFrame& frame = of_category.frames.front();
  frame.name = scenario.function;
  if (frame.unknown_because == "the body is not known" && !scenario.function.empty()) {
    frame.unknown_because = "the body of " + scenario.function + " is not known";
  }
  return Simulate(scenario.history, of_category, scenario.policy, options);
}

}  // namespace

Error PredictRun(const RunPredictionOptions& options, FileSource& files, RunPrediction& run) {
  Expected<ReadFunctions> read = ReadRun(options, files, run);
  if (!read) return read.takeError();
  RunPredictionOptions given = options;
  if (options.redactor != nullptr) {
    // What-ifs refer to names in the inputs.
    for (PolicyChange& change : given.policies) RedactChange(*options.redactor, change);
  }
  if (Error error = PredictFunctions(given, read->functions, read->linked, run.report)) {
    return error;
  }
  const bool is_body_known =
      !options.logs.empty() || options.body != nullptr || options.simulator.assume_no_questions;
  const bool has_calls = llvm::any_of(
      run.report.functions, [](const FunctionPrediction& function) { return function.calls > 0; });
  if (!is_body_known && has_calls && !HasPrediction(run.report)) {
    return MakeError(
        "nothing to predict from: calls do not show which sizes the code compares; add --body "
        "TRACE (TORCH_TRACE of one run of the function), or --assume-no-questions");
  }
  return Error::success();
}

Error PredictFunctions(const RunPredictionOptions& options, const RunFunctions& functions,
                       const std::vector<LinkedFunctions>& linked, PredictionReport& report) {
  return Predictor(options, functions, linked, report).Predict();
}

ScenarioRun AnswerScenarios(const ScenarioOptions& options, FileSource& files,
                            llvm::function_ref<void(const ScenarioAnswer&)> answer) {
  ScenarioRun run;
  const auto handle = [&](const Scenario& scenario) {
    ScenarioAnswer one;
    one.index = run.tally.answers++;
    one.id = scenario.id;
    one.function = scenario.function;
    one.prediction = Predict(scenario, options.body, options.simulator);
    if (one.prediction.is_exact) ++run.tally.exact;
    answer(one);
  };
  for (const std::string& given : options.paths) {
    Expected<std::vector<std::string>> paths = files.Expand(given);
    if (!paths) {
      run.unread.push_back(llvm::toString(RedactedError(paths.takeError(), options.redactor)));
      continue;
    }
    for (const std::string& path : *paths) {
      Expected<JsonLineTotals> totals = ReadScenarios(path, files, handle, options.redactor);
      if (!totals) {
        run.unread.push_back(llvm::toString(totals.takeError()));
        continue;
      }
      run.tally.damaged += totals->damaged;
      run.files.push_back(MakeRecordFile(path, std::move(*totals), options.redactor));
    }
  }
  return run;
}

}  // namespace shapewise
