#include "dynamo/run_function.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamo/run_parts.h"
#include "dynamo/simulator.h"
#include "model/call_history_builder.h"
#include "model/compile_number.h"
#include "model/source_ref.h"

namespace shapewise {
namespace {

std::string Count(uint64_t number, const std::string& what) {
  return std::to_string(number) + " " + what +
         (number == 1           ? ""
          : what.ends_with("s") ? "es"
                                : "s");
}

/// Why fewer or more compiles are predicted, as far as it is visible.
std::string WhyDifferent(const RunFunction& function, const BackTestRow& row) {
  std::string counts = Count(*row.predicted_compiles, "compile") + " predicted, " +
                       std::to_string(*row.logged_compiles) + " logged";
  if (row.verdict == BackTestVerdict::kLowerBound) {
    return counts + ": the log does not say what was different in every miss";
  }
  if (!row.assumed.empty() && !function.failed_relations.empty()) {
    return counts + ": the body asks more of sizes than " + function.failed_relations.front();
  }
  if (!row.assumed.empty()) return counts + ": the body does more than is assumed";
  if (function.origin == HistoryOrigin::kCalls) {
    return counts + ": the records lack something that guards ask for";
  }
  return counts;
}

constexpr std::string_view kOnlyFailed =
    "the body asks of sizes what failed guards show, and nothing else";

/// The questions behind relations that failed in entries; kNone if in none of them. Empty: one
/// cannot be read, or there are too many combinations.
std::vector<BodyQuestion> QuestionsOf(const std::vector<std::string>& relations, ExprPool& pool) {
  constexpr size_t kMaxQuestions = 4;
  std::vector<ExprId> open;
  for (const std::string& relation : relations) {
    const ExprId parsed = pool.Parse(relation);
    if (parsed == ExprId::kNone) return {};
    // Reasons print sources without the frame's L[...].
    open.push_back(pool.Substitute(
        parsed, [&pool](ExprId symbol) { return pool.Symbol(DynamoSource(pool.name(symbol))); }));
  }
  std::vector<BodyQuestion> questions;
  while (!open.empty()) {
    const ExprId predicate = open.back();
    open.pop_back();
    const auto operands = pool.operands(predicate);
    if (pool.kind(predicate) == ExprKind::kAnd) {
      open.insert(open.end(), operands.begin(), operands.end());
      continue;
    }
    // "2 <= x.size()[0]": a bound that every symbol has.
    if (pool.kind(predicate) == ExprKind::kLessEqual && operands[0] == pool.Integer(2)) continue;
    const bool is_known = std::ranges::any_of(
        questions, [&](const BodyQuestion& question) { return question.predicate == predicate; });
    if (is_known) continue;
    if (questions.size() == kMaxQuestions) return {};
    questions.emplace_back().predicate = predicate;
  }
  return questions;
}

/// Makes the body always ask `questions`, and continue whatever the answers are.
void AskOnly(std::vector<BodyQuestion> questions, BodyFrame& frame) {
  frame.knowledge = BodyKnowledge::kObserved;
  for (size_t answers = 0; answers < size_t{1} << questions.size(); ++answers) {
    std::string& path = frame.explored.emplace_back();
    for (size_t index = 0; index < questions.size(); ++index) {
      path += ((answers >> index) & 1) != 0 ? '1' : '0';
    }
  }
  frame.questions = std::move(questions);
}

/// Replays with the body as it is known; if that does not decide every call, as if it asked only
/// what failed guards show; if none failed, as if it compared no sizes.
Prediction Replay(const RunFunction& function, const CallHistory& history) {
  SimulatorOptions options;
  options.torch = function.torch;
  options.keep_calls = false;
  Prediction prediction = Simulate(history, function.body, function.policy, options);
  if (prediction.is_exact || function.body.frames.empty()) return prediction;
  BodyFacts assumed;
  BodyFrame& frame = assumed.frames.emplace_back(function.body.frames.front());
  frame.knowledge = BodyKnowledge::kUnknown;
  frame.reads_all = true;
  frame.questions.clear();
  frame.explored.clear();
  frame.paths.clear();
  frame.specialized.clear();
  frame.resumes.clear();
  options.assume_no_questions = true;
  if (std::vector<BodyQuestion> asked = QuestionsOf(function.failed_relations, *assumed.pool);
      !asked.empty()) {
    BodyFacts asking = assumed;
    AskOnly(std::move(asked), asking.frames.front());
    Prediction answered = Simulate(history, asking, function.policy, options);
    answered.assumed = kOnlyFailed;
    if (answered.is_exact) return answered;
  }
  Prediction guessed = Simulate(history, assumed, function.policy, options);
  return guessed.is_exact ? guessed : prediction;
}

/// Whether every compile of `function` failed in the run.
bool CannotCompile(const RunFunction& function) {
  return function.logged.failed > 0 && function.logged.graphs == 0;
}

/// Compiles that do not fail. A function that cannot be compiled is simulated as one without
/// operators.
uint64_t CompilesIn(const RunFunction& function, const Prediction& prediction) {
  return CannotCompile(function) ? prediction.totals.entries : prediction.totals.compiles();
}

/// The compiles of the calls from `begin` to `end` alone; absent: not known.
std::optional<uint64_t> CompilesOf(const RunFunction& function, size_t begin, size_t end) {
  std::vector<size_t> calls(end - begin);
  std::iota(calls.begin(), calls.end(), begin);
  CallHistory part;
  CopyCalls(function.history, calls, part);
  const Prediction prediction = Replay(function, part);
  if (!prediction.is_exact) return std::nullopt;
  return CompilesIn(function, prediction);
}

/// torch._dynamo.reset() came after the records of `function` in the log; no record shows which
/// calls came after it. Returns why that affects the number of compiles; empty: it does not, or the
/// calls cannot have come after it, because then there would be fewer compiles before it than
/// logged.
std::string WhyResetMatters(const RunFunction& function, uint64_t without_reset) {
  constexpr size_t kMaxPlaces = 64;  // each requires its own replay
  const size_t calls = function.history.calls.size();
  uint64_t least = without_reset;
  uint64_t most = without_reset;
  for (size_t behind = 1; behind < calls; ++behind) {
    if (behind > kMaxPlaces)
      return "torch._dynamo.reset() ran between calls, and the records do not say where";
    const std::optional<uint64_t> before = CompilesOf(function, 0, calls - behind);
    if (!before ||
        (function.logged.is_reported && *before < function.logged.graphs + function.logged.empty)) {
      break;
    }
    const std::optional<uint64_t> after = CompilesOf(function, calls - behind, calls);
    if (!after) return "torch._dynamo.reset() ran between calls, and the records do not say where";
    least = std::min(least, *before + *after);
    most = std::max(most, *before + *after);
  }
  if (least == most) return {};
  return Count(least, "compile") + " or up to " + std::to_string(most) +
         ": torch._dynamo.reset(), which shows in the ids of the log, ran after the last logged " +
         "compile, and the records do not say where";
}

/// On a GPU, Inductor asks about sizes while it compiles a dynamic graph: mix-order reductions of
/// 2.11 and later need at least 4096 rows, for example (torch/_inductor/scheduler.py). The answers
/// become guards, which only a graph that Inductor compiled shows.
bool LacksGuardsOfInductor(const RunFunction& function) {
  const CallHistory& history = function.history;
  const auto is_on_gpu = [&history](const TensorValue& tensor) {
    return history.strings.text(tensor.device).starts_with("cuda");
  };
  return std::ranges::any_of(history.tensors, is_on_gpu) &&
         std::ranges::none_of(function.body.frames, &BodyFrame::is_from_inductor);
}

BackTestRow RowOf(const RunFunction& function, size_t index) {
  BackTestRow row;
  row.where = function.where;
  row.rank = function.rank;
  row.frame = FrameText(function.frame);
  row.function = index;
  row.origin = function.history.calls.empty() ? HistoryOrigin::kNone : function.origin;
  row.calls = function.history.calls.size();
  row.is_lower_bound = function.history.is_lower_bound;
  if (function.logged.is_reported) {
    row.logged_compiles = function.logged.graphs + function.logged.empty;
  }
  row.logged_failures = function.logged.failed;
  row.logged_limit_hits = function.logged.limit_hits;
  if (!function.unmodelled.empty() || function.history.calls.empty()) {
    row.why = function.unmodelled.empty() ? "no call of it is known" : function.unmodelled;
    return row;
  }

  const Prediction prediction = Replay(function, function.history);
  row.assumed = prediction.assumed;
  const auto assume = [&row](const std::string& what) {
    row.assumed += (row.assumed.empty() ? "" : "; ") + what;
  };
  if (CannotCompile(function)) {
    assume("it can't be compiled, as in the run");
  }
  if (!function.assumed.empty()) assume(function.assumed);
  if (function.unexplained_misses > 0) {
    assume(Count(function.unexplained_misses, "miss") + " without a printed reason, replayed as " +
           "unlike any call before");
  }
  if (LacksGuardsOfInductor(function)) {
    assume(
        "Inductor adds no guards on sizes, as it can on a GPU; none of its dynamic graphs is "
        "known");
  }
  if (!prediction.is_exact) {
    row.why = prediction.why;
    return row;
  }
  const uint64_t compiles = CompilesIn(function, prediction);
  if (function.was_reset && function.origin == HistoryOrigin::kCalls) {
    row.why = WhyResetMatters(function, compiles);
    if (!row.why.empty()) return row;
  }
  if (function.may_be_another_process && row.logged_compiles && compiles != *row.logged_compiles) {
    row.why = "the recorded calls may be those of another process in the same log";
    return row;
  }
  row.predicted_compiles = compiles;
  row.predicted_failures = prediction.totals.error_calls;
  row.predicted_limit_hits = prediction.totals.limit_hits;
  row.predicted_eager_calls = prediction.totals.eager_calls;
  if (!row.logged_compiles) {
    row.verdict = BackTestVerdict::kNotLogged;
    return row;
  }
  if (*row.predicted_compiles == *row.logged_compiles) {
    row.verdict = BackTestVerdict::kEqual;
    return row;
  }
  const bool is_fewer = *row.predicted_compiles < *row.logged_compiles;
  row.verdict =
      is_fewer && row.is_lower_bound ? BackTestVerdict::kLowerBound : BackTestVerdict::kDiffers;
  row.why = WhyDifferent(function, row);
  return row;
}

}  // namespace

BackTestReport BackTestFunctions(const std::vector<std::unique_ptr<RunFunction>>& functions) {
  BackTestReport report;
  uint64_t* const counts[] = {&report.equal, &report.lower_bound, &report.differs,
                              &report.not_logged, &report.unmodelled};  // by BackTestVerdict
  for (size_t index = 0; index < functions.size(); ++index) {
    const BackTestRow& row = report.rows.emplace_back(RowOf(*functions[index], index));
    ++*counts[static_cast<size_t>(row.verdict)];
  }
  return report;
}

}  // namespace shapewise
