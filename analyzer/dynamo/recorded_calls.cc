#include "dynamo/run_parts.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Whether one path ends with the other, whole parts only.
bool IsSameFile(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return true;
  if (a.size() < b.size()) std::swap(a, b);
  return a.ends_with(b) && (a.size() == b.size() || a[a.size() - b.size() - 1] == '/');
}

/// The name of a function in the log, without its class.
std::string_view NameOf(const RunFunction& function) {
  return LastName(function.where.function.empty() ? function.likely_name : function.where.function);
}

bool CanBe(const RecordedFunction& recorded, const RunFunction& function) {
  return LastName(recorded.function) == NameOf(function) &&
         (recorded.rank < 0 || function.rank < 0 || recorded.rank == function.rank) &&
         IsSameFile(recorded.file, function.where.file) &&
         (recorded.line == 0 || function.where.line == 0 || recorded.line == function.where.line);
}

/// The number of misses in the calls that neither records nor log explain.
uint64_t UnexplainedIn(const CallHistory& history) {
  std::set<StrId> texts;
  for (size_t source = 0; source < history.sources.size(); ++source) {
    if (history.strings.text(history.sources[source]) != kUnexplainedSource) continue;
    for (const CallSignature& signature : history.signatures) {
      if (source < signature.values.size()) texts.insert(signature.values[source].text);
    }
  }
  return texts.empty() ? 0 : texts.size() - 1;  // a single text does not count as a miss
}

/// Every entry guards the global state. If all compiles of a function, each with its reasons, were
/// made under one state, calls recorded under another state never reached its own code: the caller
/// inlined it, or ran without compiling. Returns the calls under that state, if only calls of one
/// state can be those compiles; empty: all calls may be.
std::vector<size_t> CallsOfOneState(const CallHistory& recorded, const RunFunction& logged,
                                    const LoggedValues& log_values) {
  const LoggedCompiles& compiles = logged.logged;
  if (!compiles.is_reported || compiles.failed > 0 || compiles.limit_hits > 0 ||
      !log_values.has_all_reasons() || log_values.attempts().empty() ||
      HasSeveralStates(logged.history) || !HasSeveralStates(recorded)) {
    return {};
  }
  constexpr size_t kMaxStates = 8;  // each requires its own comparison with the log
  std::map<StrId, std::vector<size_t>> calls;
  for (size_t call = 0; call < recorded.calls.size(); ++call) {
    calls[recorded.signatures[recorded.calls[call].signature].state].push_back(call);
  }
  if (calls.size() > kMaxStates) return {};
  std::vector<size_t> only;
  for (auto& [state, of_state] : calls) {
    CallHistory part;
    CopyCalls(recorded, of_state, part);
    if (!PlacesOfAttempts(part, logged.history, log_values).is_possible) continue;
    if (!only.empty()) return {};
    only = std::move(of_state);
  }
  return only;
}

/// The function of the log with the calls of `recorded` (all or some of those of `history`) instead
/// of its own.
std::unique_ptr<RunFunction> WithCalls(const RecordedFunction& recorded, const CallHistory& history,
                                       const LoggedValues* log_values, RunFunction& logged) {
  auto function = std::make_unique<RunFunction>();
  function->where = std::move(logged.where);
  if (function->where.function.empty()) function->where.function = recorded.function;
  function->rank = logged.rank;
  function->frame = std::move(logged.frame);
  const std::vector<size_t> own =
      log_values == nullptr ? std::vector<size_t>() : CallsOfOneState(history, logged, *log_values);
  CallHistory reaching;
  if (!own.empty()) {
    CopyCalls(history, own, reaching);
    const size_t others = history.calls.size() - own.size();
    function->assumed = Counted(others, "call that was", "calls that were") +
                        " recorded under another global state than that of its compiles never " +
                        "reached its own code";
  }
  std::string why = CompleteCalls(own.empty() ? history : reaching, logged.history, log_values,
                                  function->history);
  function->origin = HistoryOrigin::kCalls;
  function->body = std::move(logged.body);
  function->is_probed = logged.is_probed;
  function->policy = recorded.policy.value_or(std::move(logged.policy));
  function->failed_relations = std::move(logged.failed_relations);
  function->was_reset = logged.was_reset;
  function->torch = logged.torch;
  function->logged = logged.logged;
  function->events = std::move(logged.events);
  function->unmodelled = logged.unmodelled.empty() ? std::move(why) : std::move(logged.unmodelled);
  function->unexplained_misses = UnexplainedIn(function->history);
  function->history.is_lower_bound |= recorded.dropped_calls > 0;
  if (recorded.unordered_calls > 0) {
    function->assumed += (function->assumed.empty() ? "" : "; ");
    function->assumed += Counted(recorded.unordered_calls, "call that was", "calls that were") +
                         " counted without order came in the order in which they were first seen";
  }
  return function;
}

/// A function that only the recorder contains.
std::unique_ptr<RunFunction> Unlogged(const RecordedFunction& recorded, TorchVersion torch) {
  RunFunction nothing;
  nothing.where = {.function = recorded.function, .file = recorded.file, .line = recorded.line};
  nothing.rank = recorded.rank;
  nothing.torch = torch;
  BodyFrame& frame = nothing.body.frames.emplace_back();
  frame.name = recorded.function;
  frame.reads_all = true;
  frame.unknown_because = "no trace shows which sizes the code compares";
  return WithCalls(recorded, recorded.history, nullptr, nothing);
}

/// Recorded functions with the same name and place, and the functions that they may be.
struct Group {
  std::vector<size_t> recorded;
  std::vector<size_t> functions;
};

/// The recorded functions grouped by the set of functions that they may be, in order of appearance.
std::vector<Group> GroupsOf(const std::vector<std::unique_ptr<RecordedFunction>>& recorded,
                            const std::vector<std::unique_ptr<RunFunction>>& functions) {
  std::vector<Group> groups;
  std::map<std::vector<size_t>, size_t> by_functions;
  std::map<std::string_view, std::vector<size_t>> by_name;
  for (size_t function = 0; function < functions.size(); ++function) {
    by_name[NameOf(*functions[function])].push_back(function);
  }
  for (size_t index = 0; index < recorded.size(); ++index) {
    std::vector<size_t> candidates;
    for (const size_t function : by_name[LastName(recorded[index]->function)]) {
      if (CanBe(*recorded[index], *functions[function])) candidates.push_back(function);
    }
    if (candidates.empty()) {
      groups.push_back({.recorded = {index}, .functions = {}});
      continue;
    }
    const auto [found, is_new] = by_functions.try_emplace(candidates, groups.size());
    if (is_new) groups.push_back({.recorded = {}, .functions = std::move(candidates)});
    groups[found->second].recorded.push_back(index);
  }
  return groups;
}

/// Whether the attempts can begin with the first call that compiles.
bool CanBeginAtFirst(const AttemptPlaces& places, const CallHistory& recorded) {
  if (!places.is_possible) return false;
  const auto compiling = std::ranges::find_if(
      recorded.calls, [](const RecordedCall& call) { return call.stance == Stance::kDefault; });
  const auto first = static_cast<size_t>(compiling - recorded.calls.begin());
  return std::ranges::binary_search(places.begins, first);
}

/// Assigns the records of one function that has two stretches in the log. Either a reset lies
/// between two of the calls, and the first call after it is the first compile of the later stretch,
/// or the log contains two processes, each of which begins like the records. Succeeds only if
/// exactly one of the two is possible, and a reset only between two known calls. False: both are
/// possible, or neither.
bool AttachToStretches(const RecordedFunction& recorded, const LoggedValues& first_own,
                       const LoggedValues& second_log_values, std::unique_ptr<RunFunction>& first,
                       std::unique_ptr<RunFunction>& second) {
  if (first->where != second->where || first->rank != second->rank) return false;
  const CallHistory& history = recorded.history;
  const AttemptPlaces of_first = PlacesOfAttempts(history, first->history, first_own);
  const AttemptPlaces of_second = PlacesOfAttempts(history, second->history, second_log_values);
  std::vector<size_t> splits;
  if (of_first.is_possible) {
    std::ranges::copy_if(of_second.begins, std::back_inserter(splits),
                         [&](size_t call) { return call >= of_first.end; });
  }
  const bool is_first = CanBeginAtFirst(of_first, history);
  const bool is_second = CanBeginAtFirst(of_second, history);
  if (!splits.empty()) {
    if (splits.size() > 1 || !is_first || is_second) return false;
    std::vector<size_t> before(splits.front());
    std::iota(before.begin(), before.end(), size_t{0});
    std::vector<size_t> behind(history.calls.size() - splits.front());
    std::iota(behind.begin(), behind.end(), splits.front());
    CallHistory early;
    CopyCalls(history, before, early);
    CallHistory late;
    CopyCalls(history, behind, late);
    first = WithCalls(recorded, early, &first_own, *first);
    second = WithCalls(recorded, late, &second_log_values, *second);
    return true;
  }
  if (!is_first && !is_second) return false;
  const auto attach = [&](bool can_be, const LoggedValues& log_values,
                          std::unique_ptr<RunFunction>& function) {
    if (!can_be) {
      function->unmodelled = "the recorded calls are those of another process in the same log";
      return;
    }
    function = WithCalls(recorded, history, &log_values, *function);
    function->may_be_another_process = is_first && is_second;
    if (!function->may_be_another_process) return;
    function->assumed += (function->assumed.empty() ? "" : "; ");
    function->assumed +=
        "the log is that of two processes, and the recorded calls are those of this one";
  };
  attach(is_first, first_own, first);
  attach(is_second, second_log_values, second);
  return true;
}

}  // namespace

void AttachRecordedCalls(const std::vector<std::unique_ptr<RecordedFunction>>& recorded,
                         const std::vector<std::unique_ptr<LoggedValues>>& log_values,
                         std::vector<std::unique_ptr<RunFunction>>& functions) {
  const TorchVersion torch = functions.empty() ? TorchVersion() : functions.front()->torch;
  for (const Group& group : GroupsOf(recorded, functions)) {
    if (group.functions.empty()) {
      functions.push_back(Unlogged(*recorded[group.recorded.front()], torch));
      continue;
    }
    if (group.recorded.size() == 1 && group.functions.size() == 2) {
      const size_t first = group.functions.front();
      const size_t second = group.functions.back();
      if (AttachToStretches(*recorded[group.recorded.front()], *log_values[first],
                            *log_values[second], functions[first], functions[second])) {
        continue;
      }
    }
    if (group.functions.size() != group.recorded.size()) {
      for (const size_t index : group.functions) {
        functions[index]->unmodelled =
            "the log contains " + std::to_string(group.functions.size()) +
            " functions, or stretches of one, of this name, and the records of " +
            std::to_string(group.recorded.size());
      }
      continue;
    }
    for (size_t position = 0; position < group.functions.size(); ++position) {
      const size_t index = group.functions[position];
      functions[index] = WithCalls(*recorded[group.recorded[position]],
                                   recorded[group.recorded[position]]->history,
                                   log_values[index].get(), *functions[index]);
    }
  }
}

}  // namespace shapewise
