#include "pipeline/replay.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "dynamo/policy_text.h"
#include "dynamo/run_function.h"
#include "dynamo/simulator.h"
#include "ingest/call_record_reader.h"
#include "ingest/json_line_totals.h"
#include "ingest/reader.h"
#include "llvm/ADT/STLExtras.h"
#include "model/call_history_builder.h"
#include "model/source_ref.h"
#include "pipeline/load_run.h"
#include "pipeline/replay_plan.h"
#include "pipeline/run_inputs.h"
#include "redact/redact.h"
#include "support/nearest_name.h"
#include "support/terminal_text.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

using RunFunctions = std::vector<std::unique_ptr<RunFunction>>;

constexpr const char* kAsIs = "as-is";
// Each policy is compiled in its own process with cold caches.
constexpr size_t kMostPolicies = 24;
constexpr size_t kMostNamed = 4;

/// The function name in "train.py:step" or "package.module:Model.forward".
std::string FunctionOf(const std::string& callable) {
  const size_t colon = callable.rfind(':');
  const size_t dot = callable.rfind('.');
  size_t from = colon == std::string::npos ? 0 : colon + 1;
  if (dot != std::string::npos && dot >= from) from = dot + 1;
  return callable.substr(from);
}

/// The size at `place` in a call; absent: missing in the call.
std::optional<int64_t> SizeOf(const CallHistory& history, const CallSignature& call,
                              const InputDim& place) {
  for (size_t i = 0; i < call.values.size(); ++i) {
    if (history.TensorIn(call, i) == nullptr) continue;
    if (NameOfSource(history.strings.text(history.sources[i])) != place.name) continue;
    return history.SizeIn(call, i, place.dim);
  }
  return std::nullopt;
}

/// Prepares a replay.
class Preparation {
 public:
  Preparation(const ReplayOptions& options, FileSource& files, ReplayRun& run)
      : options_(options), files_(files), run_(run) {}

  Error Prepare() {
    if (Error error = ReadPlans()) return error;
    if (Error error = ReadRun()) return error;
    if (Error error = ChooseFunction()) return error;
    if (Error error = ChoosePolicies()) return error;
    if (Error error = MakeJob()) return error;
    LearnToRedact();
    return Error::success();
  }

  Error PrepareTiming() {
    if (options_.callable.empty()) return MakeError("--callable is required: the function to run");
    if (!options_.paths.empty()) {
      return MakeError(
          "sizes of a callable are timed with calls that a recorder wrote: --calls in "
          "place of " +
          MakePrintable(options_.paths.front()));
    }
    if (Error error = ReadRun()) return error;
    if (Error error = ChooseFunction()) return error;
    if (Error error = ChooseDims()) return error;
    policies_.push_back({kAsIs, CompilePolicy()});
    if (Error error = MakeJob()) return error;
    LearnToRedact();
    return Error::success();
  }

 private:
  /// Extracts plans from the paths. Their original inputs are read if nothing else is given.
  Error ReadPlans() {
    for (const std::string& text : options_.fills) {
      std::optional<InputFill> fill = ParseInputFill(text);
      if (!fill) {
        return MakeError("--fill: '" + MakePrintable(text) +
                         "' is no input and number; expected labels=-100");
      }
      if (llvm::any_of(fills_, [&](const InputFill& given) { return given.name == fill->name; })) {
        return MakeError("--fill: '" + MakePrintable(fill->name) + "' is given twice");
      }
      fills_.push_back(std::move(*fill));
    }
    for (const std::string& path : options_.paths) {
      Expected<std::optional<ReplayPlan>> plan = ReadPlan(path);
      if (!plan) return plan.takeError();
      if (!*plan) {
        logs_.push_back(path);
        continue;
      }
      has_plan_ = true;
      for (ProposedPolicy& policy : (*plan)->policies) plan_.policies.push_back(std::move(policy));
      plan_.by_hand += (*plan)->by_hand;
      llvm::append_range(plan_.inputs, (*plan)->inputs);
      llvm::append_range(plan_.padded, (*plan)->padded);
    }
    if (Error error = CheckFills()) return error;
    if (has_plan_ && logs_.empty() && options_.calls.empty()) {
      for (const std::string& input : plan_.inputs) {
        if (input != "-") logs_.push_back(input);
      }
    }
    return Error::success();
  }

  /// Each --fill must refer to a padded input: a typo would pad with 0.
  Error CheckFills() const {
    const std::vector<std::string_view> padded(plan_.padded.begin(), plan_.padded.end());
    for (const InputFill& fill : fills_) {
      if (padded.empty()) {
        return MakeError(
            "--fill sets the padding value of a plan of buckets, and there is no plan; a --policy "
            "sets its own: buckets(labels, 1, 64|128, fill=-100)");
      }
      const bool is_padded = std::ranges::any_of(
          padded, [&](std::string_view name) { return NameOfSource(name) == fill.name; });
      if (is_padded) continue;
      std::string names;
      for (const std::string_view name : padded)
        names += (names.empty() ? "" : ", ") + std::string(name);
      return MakeError("--fill: the plan does not pad '" + MakePrintable(fill.name) + "'" +
                       DidYouMean(fill.name, padded) + "; it pads " + MakePrintable(names));
    }
    return Error::success();
  }

  Expected<std::optional<ReplayPlan>> ReadPlan(const std::string& path) {
    if (path == "-") return std::nullopt;
    Expected<std::vector<std::string>> expanded = files_.Expand(path);
    if (!expanded) return expanded.takeError();
    if (expanded->size() != 1 || expanded->front() != path) return std::nullopt;
    Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = files_.Open(path);
    if (!buffer) return buffer.takeError();
    const llvm::StringRef bytes = (*buffer)->getBuffer();
    const std::string_view text(bytes.data(), bytes.size());
    if (!IsSavedReport(text)) return std::nullopt;
    Expected<ReplayPlan> plan = ReadReplayPlan(path, text, options_.dims, fills_);
    if (!plan) return plan.takeError();
    return std::optional(std::move(*plan));
  }

  Error ReadRun() {
    ReplayReport& report = run_.report;
    if (!logs_.empty() && !has_plan_) {
      AdviseOptions advise = options_.advise;
      advise.paths = logs_;
      Expected<Advice> advice = AdviseOnRun(advise, files_, run_.session);
      if (!advice) return advice.takeError();
      report.unread = advice->unread;
      plan_ = PlanOfAdvice(*advice);
      run_.advice = std::move(*advice);
    } else if (!logs_.empty()) {
      ReadOptions read;
      read.guard_texts = true;
      report.unread = ReadInputs(logs_, files_, run_.session, read);
    }
    RecordedFunctions recorded;
    const std::vector<std::string> given =
        options_.calls.empty() ? CallFoldersOf(logs_) : options_.calls;
    for (const std::string& folder : given) {
      Expected<std::vector<std::string>> paths = files_.Expand(folder);
      if (!paths) return paths.takeError();
      for (const std::string& path : *paths) {
        Expected<JsonLineTotals> totals = ReadCallRecords(path, files_, recorded);
        if (!totals) return totals.takeError();
        if (options_.redactor != nullptr) RedactTotals(*options_.redactor, *totals);
        run_.files.push_back(MakeRecordFile(path, std::move(*totals), options_.redactor));
      }
    }
    std::erase_if(recorded, [](const auto& function) { return !function->is_compiled; });
    const std::unique_ptr<RunProbes> probes = ReadProbes(logs_, files_, options_.redactor);
    functions_ = FunctionsOfRun(run_.session, recorded, probes.get());
    std::erase_if(functions_, [](const auto& f) { return f->history.calls.empty(); });
    return ReadBody();
  }

  /// Uses --body for functions whose body the run does not show.
  Error ReadBody() {
    if (options_.body.empty()) return Error::success();
    const std::string& name = options_.function;
    Expected<BodyFacts> body =
        LoadBody(options_.body, files_, name.empty() ? FunctionOf(options_.callable) : name);
    if (!body) return body.takeError();
    UseBody(*body, functions_);
    return Error::success();
  }

  Error ChooseFunction() {
    std::string name = options_.function;
    if (name.empty()) name = FunctionOf(options_.callable);
    for (const std::unique_ptr<RunFunction>& function : functions_) {
      const bool is_named = !name.empty() && function->where.function == name;
      if (!name.empty() && !options_.function.empty() && !is_named) continue;
      if (chosen_ == nullptr || Weight(*function, is_named) > Weight(*chosen_, chosen_is_named_)) {
        chosen_ = function.get();
        chosen_is_named_ = is_named;
      }
    }
    if (chosen_ == nullptr) return MakeError(NoCalls());
    ReplayReport& report = run_.report;
    report.where = chosen_->where;
    report.function = chosen_->where.function;
    report.history = HistoryOriginName(chosen_->origin);
    report.recorded_calls = chosen_->history.calls.size();
    report.is_lower_bound = chosen_->history.is_lower_bound;
    if (!options_.callable.empty() && !chosen_is_named_) {
      report.gaps.push_back("No calls of '" + name + "' are known: those of '" + report.function +
                            "', which compiled most, are made; --function names another.");
    } else if (name.empty() && functions_.size() > 1) {
      report.gaps.push_back("Of " + std::to_string(functions_.size()) +
                            " functions, the calls of '" + report.function +
                            "' are made, which compiled most; --function names another.");
    }
    std::vector<RecordedCall>& calls = chosen_->history.calls;
    if (options_.max_calls < calls.size()) {
      calls.resize(options_.max_calls);
      report.gaps.push_back("The first " + std::to_string(calls.size()) + " of " +
                            std::to_string(report.recorded_calls) +
                            " calls are made; --max-calls N makes more.");
    }
    report.calls = calls.size();
    if (report.is_lower_bound) {
      report.gaps.push_back(
          "Only calls that missed a cache are known: there were more in between. Record every call "
          "(--calls) to get the run's own steps per second.");
    }
    return Error::success();
  }

  static std::pair<bool, uint64_t> Weight(const RunFunction& function, bool is_named) {
    return {is_named, function.logged.graphs};
  }

  std::string NoCalls() const {
    if (!options_.function.empty()) {
      std::string names = Joined(functions_, ", ", [&](const auto& function) {
        return MakePrintable(function->where.function);
      });
      return "no calls of '" + MakePrintable(options_.function) + "' are known" +
             (names.empty() ? "" : "; there are calls of " + names);
    }
    return "nothing to run: expected recorded calls (--calls FILE), or a log or trace of a run "
           "that "
           "recompiled; for a dump of a graph, --sizes or --lengths";
  }

  /// Checks the varied dims against the calls.
  Error ChooseDims() {
    if (options_.dims.empty()) {
      return MakeError("--dim x:1 is required: the dim whose size varies" + KnownTensors());
    }
    const CallHistory& history = chosen_->history;
    for (const std::string& text : options_.dims) {
      const std::optional<InputDim> place = ParseInputDim(text);
      if (!place) {
        return MakeError("--dim: '" + MakePrintable(text) +
                         "' is no dim; expected x:1, dim 1 of x");
      }
      const bool is_there = std::ranges::any_of(history.signatures, [&](const auto& call) {
        return SizeOf(history, call, *place).has_value();
      });
      if (!is_there) {
        return MakeError("--dim: no call of '" + MakePrintable(run_.report.function) + "' has a '" +
                         MakePrintable(text) + "'" + KnownTensors());
      }
      varied_.push_back(*place);
    }
    std::vector<bool> is_unlike;
    for (const CallSignature& call : history.signatures) {
      const std::optional<int64_t> first = SizeOf(history, call, varied_.front());
      is_unlike.push_back(std::ranges::any_of(
          varied_, [&](const InputDim& place) { return SizeOf(history, call, place) != first; }));
    }
    const auto unlike = std::ranges::count_if(
        history.calls, [&](const RecordedCall& call) { return is_unlike[call.signature]; });
    if (unlike > 0) {
      run_.report.gaps.push_back(
          "In " + std::to_string(unlike) + " of " + std::to_string(history.calls.size()) +
          " calls not all of the dims have one size; timed are calls in which they have.");
    }
    return Error::success();
  }

  Error ChoosePolicies() {
    if (Error error = Add({.words = kAsIs}, /*is_asked=*/true)) return error;
    for (const std::string& words : options_.policies) {
      if (Error error = Add({.words = words}, /*is_asked=*/true)) return error;
    }
    size_t elsewhere = 0;
    // The plan comes first, so that only single actions exceed the limit.
    std::ranges::stable_sort(plan_.policies,
                             [](const auto& a, const auto& b) { return a.is_plan > b.is_plan; });
    for (const ProposedPolicy& proposed : plan_.policies) {
      if (!Fits(proposed.target)) {
        ++elsewhere;
      } else if (Error error = Add(proposed, /*is_asked=*/false)) {
        return error;
      }
    }
    const auto add_gap = [&](size_t count, const char* why) {
      if (count == 0) return;
      run_.report.gaps.push_back(
          (count == 1 ? "1 action is" : std::to_string(count) + " actions are") + std::string(why));
    };
    add_gap(plan_.by_hand, " not run: a person has to follow it, or it sets what no policy has.");
    add_gap(elsewhere, " not run: another function is meant (--function).");
    ReportLeftOut();
    return Error::success();
  }

  void ReportLeftOut() {
    if (left_out_.empty()) return;
    std::string names;
    for (size_t i = 0; i < std::min(left_out_.size(), kMostNamed); ++i) {
      names += (i == 0 ? "" : "; ") + left_out_[i];
    }
    if (left_out_.size() > kMostNamed) {
      names += "; and " + std::to_string(left_out_.size() - kMostNamed) + " more";
    }
    run_.report.gaps.push_back(
        "No more than " + std::to_string(kMostPolicies) + " policies are run at a time, the plan " +
        "and the actions ranked first: " + Counted(left_out_.size(), "is", "are") +
        " not run: " + names + ". --policy runs what it is given.");
  }

  bool Fits(const Place& target) const {
    const Place& where = chosen_->where;
    if (target.function.empty()) return true;
    return target.function == where.function &&
           (target.file.empty() || where.file.empty() || target.file == where.file);
  }

  Error Add(const ProposedPolicy& proposed, bool is_asked) {
    const bool has_to_fit = is_asked || proposed.is_required;
    Expected<PolicyChange> change = ParsePolicy(proposed.words);
    if (!change && has_to_fit) return change.takeError();
    if (!change) {
      run_.report.gaps.push_back("Not run: " + llvm::toString(change.takeError()) + ".");
      return Error::success();
    }
    AppliedPolicy applied = ApplyPolicy(*change, chosen_->policy, chosen_->history);
    if (!applied.unmatched.empty()) {
      const std::string what = "policy \"" + proposed.words + "\": '" + run_.report.function +
                               "' takes no tensor '" + applied.unmatched.front() + "'" +
                               KnownTensors();
      // For a requested policy this is a typo; proposed ones are skipped.
      if (has_to_fit) return MakeError(MakePrintable(what));
      run_.report.gaps.push_back("Not run: " + what + ".");
      return Error::success();
    }
    const auto known = std::ranges::find(policies_, applied.policy, &NamedPolicy::policy);
    ReplayedPolicy* policy = nullptr;
    if (known != policies_.end()) {
      policy = &run_.report.policies[static_cast<size_t>(known - policies_.begin())];
    } else if (!is_asked && !proposed.is_plan && policies_.size() >= kMostPolicies) {
      left_out_.push_back(change->text);
      return Error::success();
    } else {
      policy = &run_.report.policies.emplace_back();
      policy->policy = change->text.empty() ? kAsIs : change->text;
      policy->predicted = Forecast(applied.policy);
      policies_.push_back({policy->policy, std::move(applied.policy)});
    }
    // A plan with one action equals that action.
    policy->is_plan |= proposed.is_plan;
    // Alternatives added for comparison are not advice.
    policy->is_advice |= !is_asked && (proposed.is_plan || !proposed.actions.empty());
    if (!proposed.is_plan) llvm::append_range(policy->actions, proposed.actions);
    return Error::success();
  }

  std::string KnownTensors() const {
    std::string names;
    for (const std::string& name : TensorNames(chosen_->history)) {
      names += (names.empty() ? "; there are: " : ", ") + name;
    }
    return names;
  }

  PolicyForecast Forecast(const CompilePolicy& policy) const {
    PolicyForecast forecast;
    if (!chosen_->unmodelled.empty()) {
      forecast.why = chosen_->unmodelled;
      return forecast;
    }
    SimulatorOptions options;
    options.torch = chosen_->torch;
    options.keep_calls = false;
    options.assume_no_questions = options_.assume_no_questions;
    const Prediction prediction = Simulate(chosen_->history, chosen_->body, policy, options);
    forecast.is_exact = prediction.is_exact;
    forecast.why = prediction.why;
    forecast.assumed = prediction.assumed;
    forecast.traps = PolicyTraps(chosen_->history, chosen_->body, policy);
    if (!prediction.is_exact) return forecast;
    forecast.compiles = prediction.totals.graphs;
    forecast.eager_calls = prediction.totals.eager_calls;
    forecast.error_calls = prediction.totals.error_calls;
    forecast.hits_limit = prediction.totals.limit_hits > 0;
    forecast.compile_seconds = PredictedCompileSeconds(prediction.totals, chosen_->logged);
    return forecast;
  }

  Error MakeJob() {
    ReplaySubject subject;
    subject.callable = options_.callable;
    run_.report.subject = options_.callable;
    if (subject.callable.empty()) {
      Expected<CapturedGraph> graph =
          FindCapturedGraph(logs_, chosen_->frame, options_.program_of, files_);
      if (!graph) return graph.takeError();
      if (!options_.trust) {
        return MakeError(
            "the graph in the trace would be run as a Python program, and a trace may be "
            "anybody's: --trust runs it; --callable FILE.py:FUNCTION runs a function of yours "
            "instead");
      }
      subject.graph = std::move(graph->text);
      subject.graph_inputs = std::move(graph->inputs);
      run_.report.subject = graph->name;
      run_.is_graph = true;
      run_.report.gaps.push_back(
          "A captured graph is what one call did: what the function does apart from it, in Python "
          "or with other arguments, is not run and not compared.");
    }
    run_.job.push_back({kJobFile, ReplayJobText(options_.settings, subject, policies_, varied_)});
    run_.job.push_back({kCallsFile, CallRecordText(chosen_->history, chosen_->where)});
    if (run_.is_graph) run_.job.push_back({kGraphFile, std::move(subject.graph)});
    return Error::success();
  }

  /// Assigns tokens to the names that sentences of the report may contain. Unreadable inputs are
  /// reported before that.
  void LearnToRedact() {
    if (options_.redactor == nullptr) return;
    RedactCallable(*options_.redactor, options_.callable);
    for (const std::unique_ptr<RunFunction>& function : functions_) {
      LearnNames(*options_.redactor, *function);
    }
    for (std::string& message : run_.report.unread) {
      message = options_.redactor->Rewrite(TextKind::kProse, message);
    }
  }

  const ReplayOptions& options_;
  FileSource& files_;
  ReplayRun& run_;
  std::vector<std::string> logs_;
  std::vector<InputFill> fills_;
  ReplayPlan plan_;
  bool has_plan_ = false;
  RunFunctions functions_;
  RunFunction* chosen_ = nullptr;
  bool chosen_is_named_ = false;
  std::vector<NamedPolicy> policies_;  // parallel to ReplayReport::policies
  std::vector<InputDim> varied_;
  std::vector<std::string> left_out_;  // policies beyond the limit, best first
};

/// The measured saving of an action.
MeasuredSaving MeasurementOf(const ReplayReport& report, const ReplayedPolicy& policy) {
  const ReplayedPolicy& base = report.policies.front();
  MeasuredSaving saving;
  saving.policy = policy.policy;
  saving.verdict = std::string(ReplayVerdictName(policy.verdict));
  saving.why = policy.why;
  saving.is_kept = IsKept(policy.verdict);
  saving.predicted_compiles = policy.predicted.compiles;
  saving.compiles_before = base.measured.compiles;
  saving.compiles = policy.measured.compiles;
  saving.compile_seconds_before = base.measured.compile_seconds;
  saving.compile_seconds = policy.measured.compile_seconds;
  if (base.measured.steps_per_second) {
    saving.steps_per_second_before = base.measured.steps_per_second->value;
  }
  if (policy.measured.steps_per_second) {
    saving.steps_per_second = policy.measured.steps_per_second->value;
  }
  saving.equal = policy.measured.equal;
  saving.error = policy.measured.error;
  return saving;
}

}  // namespace

Error PrepareReplay(const ReplayOptions& options, FileSource& files, ReplayRun& run) {
  return Preparation(options, files, run).Prepare();
}

Error PrepareTiming(const ReplayOptions& options, FileSource& files, ReplayRun& run) {
  return Preparation(options, files, run).PrepareTiming();
}

Error FinishReplay(const ReplayOptions& options, std::string_view answer, ReplayRun& run) {
  const size_t first_own = run.report.gaps.size();
  if (Error error = ReadReplayAnswer(answer, run.report)) return error;
  if (options.redactor != nullptr) {
    if (!run.is_graph) run.report.subject = RedactCallable(*options.redactor, run.report.subject);
    RedactReplay(*options.redactor, first_own, run.report);
  }
  // It is in the folder of the job, which may be removed.
  if (options.settings.script.empty()) run.report.script.clear();
  JudgePolicies(options.steps.value_or(run.report.recorded_calls), run.report);
  return Error::success();
}

void ValidateAdvice(const ReplayReport& report, Advice& advice) {
  if (report.policies.empty()) return;
  const ReplayedPolicy* together = nullptr;
  for (const ReplayedPolicy& policy : report.policies) {
    if (policy.verdict == ReplayVerdict::kNotRun) continue;
    if (policy.is_plan) together = &policy;
    for (const size_t index : policy.actions) {
      if (index >= advice.actions.size()) continue;
      advice.actions[index].measured = MeasurementOf(report, policy);
    }
  }
  if (together == nullptr) return;
  advice.measured_together = MeasurementOf(report, *together);
  // Actions without effect alone may be needed together: a plan that pays off stays complete.
  if (IsKept(together->verdict)) return;
  // Actions that pay off alone were not shown to pay off together: keep the first.
  bool has_one = false;
  std::erase_if(advice.plan, [&](size_t index) {
    const std::optional<MeasuredSaving>& alone = advice.actions[index].measured;
    if (!alone) return false;
    return !alone->is_kept || std::exchange(has_one, true);
  });
}

}  // namespace shapewise
