#include "dynamo/recorded_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "dynamo/complete_calls.h"

namespace shapewise {
namespace {

/// "forward" of "Mixer.forward" and of "outer.<locals>.forward".
std::string_view LastName(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// Whether one path ends with the other, whole parts only.
bool IsSameFile(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return true;
  if (a.size() < b.size()) std::swap(a, b);
  return a.ends_with(b) && (a.size() == b.size() || a[a.size() - b.size() - 1] == '/');
}

bool CanBe(const RecordedFunction& recorded, const RunFunction& function) {
  const std::string_view name =
      function.where.function.empty() ? function.likely_name : function.where.function;
  return LastName(recorded.function) == LastName(name) &&
         (recorded.rank < 0 || function.rank < 0 || recorded.rank == function.rank) &&
         IsSameFile(recorded.file, function.where.file) &&
         (recorded.line == 0 || function.where.line == 0 || recorded.line == function.where.line);
}

/// How many misses the calls hold that neither records nor log explain.
uint64_t UntoldIn(const CallHistory& history) {
  std::set<StrId> told;
  for (size_t source = 0; source < history.sources.size(); ++source) {
    if (history.strings.text(history.sources[source]) != kUntoldSource) continue;
    for (const CallSignature& signature : history.signatures) {
      if (source < signature.values.size()) told.insert(signature.values[source].text);
    }
  }
  return told.empty() ? 0 : told.size() - 1;  // one stands for nothing
}

/// The function of the log with the calls of `recorded` in place of its own.
std::unique_ptr<RunFunction> WithCalls(const RecordedFunction& recorded, const ToldValues* told,
                                       RunFunction& logged) {
  auto function = std::make_unique<RunFunction>();
  function->where = std::move(logged.where);
  if (function->where.function.empty()) function->where.function = recorded.function;
  function->rank = logged.rank;
  function->frame = std::move(logged.frame);
  const std::string why = CompleteCalls(recorded.history, logged.history, told, function->history);
  function->origin = HistoryOrigin::kCalls;
  function->body = std::move(logged.body);
  function->policy = recorded.policy.value_or(std::move(logged.policy));
  function->failed_relation = std::move(logged.failed_relation);
  function->was_reset = logged.was_reset;
  function->torch = logged.torch;
  function->logged = logged.logged;
  function->events = std::move(logged.events);
  function->unmodelled = logged.unmodelled.empty() ? why : std::move(logged.unmodelled);
  function->untold_misses = UntoldIn(function->history);
  return function;
}

/// A function of which only the recorder tells.
std::unique_ptr<RunFunction> Unlogged(const RecordedFunction& recorded, TorchVersion torch) {
  RunFunction nothing;
  nothing.where = {.function = recorded.function, .file = recorded.file, .line = recorded.line};
  nothing.rank = recorded.rank;
  nothing.torch = torch;
  BodyFrame& frame = nothing.body.frames.emplace_back();
  frame.name = recorded.function;
  frame.reads_all = true;
  frame.unknown_because = "the log does not tell of it";
  return WithCalls(recorded, nullptr, nothing);
}

/// Recorded functions that no name or place tells apart, and the functions that they may be.
struct Group {
  std::vector<size_t> recorded;
  std::vector<size_t> functions;
};

/// The recorded functions by the set of functions that they may be, in order of appearance.
std::vector<Group> GroupsOf(const std::vector<std::unique_ptr<RecordedFunction>>& recorded,
                            const std::vector<std::unique_ptr<RunFunction>>& functions) {
  std::vector<Group> groups;
  std::map<std::vector<size_t>, size_t> by_functions;
  for (size_t index = 0; index < recorded.size(); ++index) {
    std::vector<size_t> candidates;
    for (size_t function = 0; function < functions.size(); ++function) {
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

}  // namespace

void AttachRecordedCalls(const std::vector<std::unique_ptr<RecordedFunction>>& recorded,
                         const std::vector<std::unique_ptr<ToldValues>>& told,
                         std::vector<std::unique_ptr<RunFunction>>& functions) {
  const TorchVersion torch = functions.empty() ? TorchVersion() : functions.front()->torch;
  for (const Group& group : GroupsOf(recorded, functions)) {
    if (group.functions.empty()) {
      functions.push_back(Unlogged(*recorded[group.recorded.front()], torch));
      continue;
    }
    if (group.functions.size() != group.recorded.size()) {
      for (const size_t index : group.functions) {
        functions[index]->unmodelled =
            "the log tells of " + std::to_string(group.functions.size()) +
            " functions, or stretches of one, of this name, and the records of " +
            std::to_string(group.recorded.size());
      }
      continue;
    }
    for (size_t position = 0; position < group.functions.size(); ++position) {
      const size_t index = group.functions[position];
      functions[index] =
          WithCalls(*recorded[group.recorded[position]], told[index].get(), *functions[index]);
    }
  }
}

}  // namespace shapewise
