#include "dynamo/run_function.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "dynamo/body_of_run.h"
#include "dynamo/logged_values.h"
#include "dynamo/run_parts.h"
#include "history/code_object_history.h"
#include "model/call_history_builder.h"
#include "model/resume_name.h"
#include "model/source_ref.h"

namespace shapewise {
namespace {

/// The newest release that the marks of `session` allow.
TorchVersion VersionOf(const Session& session) {
  constexpr int32_t kNewest = 213;
  int32_t from = 0;
  int32_t until = kNewest;
  for (const VersionMark& mark : session.version_marks()) {
    from = std::max(from, mark.from);
    if (mark.until != 0) until = std::min(until, mark.until);
  }
  // Marks that contradict each other: logs of two releases.
  const int32_t version = from > until ? kNewest : std::max(from, until);
  return {.major = version / 100, .minor = version % 100};
}

/// Adds `more` to `sum`, which stays absent until there is a value.
void AddSeconds(std::optional<double>& sum, std::optional<double> more) {
  if (more && *more >= 0) sum = sum.value_or(0) + *more;
}

/// The mean of the known values.
class Mean {
 public:
  void Add(std::optional<double> value) {
    if (!value || !(*value >= 0)) return;
    sum_ += *value;
    ++count_;
  }
  std::optional<double> value() const {
    if (count_ == 0) return std::nullopt;
    return sum_ / static_cast<double>(count_);
  }

 private:
  double sum_ = 0;
  uint64_t count_ = 0;
};

LoggedCompiles LoggedOf(const CodeObjectHistory& function, bool has_recompiles) {
  LoggedCompiles logged;
  Mean static_seconds;
  Mean dynamic_seconds;
  for (const auto& [number, attempt] : function.attempts) {
    if (attempt.limit != nullptr) {
      ++logged.limit_hits;
    } else if (attempt.has_failed) {
      ++logged.failed;
    }
    const Compilation* compilation = attempt.compilation;
    const bool is_empty =
        compilation != nullptr && compilation->outcome == CompileOutcome::kEmptyGraph;
    if (is_empty) {
      ++logged.empty;
    } else if (function.LeftEntry(number)) {
      ++logged.graphs;
    }
    const std::optional<double> seconds =
        compilation != nullptr ? compilation->seconds.total : attempt.seconds;
    AddSeconds(logged.seconds, seconds);
    if (compilation == nullptr || is_empty || !function.LeftEntry(number)) continue;
    const bool has_symbols = std::ranges::any_of(compilation->symbols, [](const auto& fact) {
      return fact.kind == SymbolFact::Kind::kCreated ||
             fact.kind == SymbolFact::Kind::kCreatedUnbacked;
    });
    (has_symbols ? dynamic_seconds : static_seconds).Add(seconds);
  }
  logged.is_reported = has_recompiles || logged.limit_hits > 0;
  logged.is_eager_at_end = logged.limit_hits > 0;
  logged.static_seconds = static_seconds.value();
  logged.dynamic_seconds = dynamic_seconds.value();
  return logged;
}

/// What the misses show about the body: which ints it needs as constants, and whether it can be
/// compiled at all.
BodyFacts BodyOfMisses(const std::string& name, const OwnPolicy& own,
                       const LoggedCompiles& logged) {
  BodyFacts body;
  BodyFrame& frame = body.frames.emplace_back();
  frame.name = name;
  frame.reads_all = true;
  for (const std::string& source : own.constants) {
    frame.sources.push_back({.source = source, .use = SourceUse::kConstant});
  }
  frame.unknown_because = "what it asks of sizes is not printed";
  if (logged.failed == 0 || logged.graphs > 0) return body;
  // It cannot be compiled: a graph break under fullgraph=True, or something that no policy changes.
  frame.knowledge = BodyKnowledge::kNoQuestion;
  if (own.policy.fullgraph) {
    frame.resumes.push_back(1);
    body.frames.emplace_back().unknown_because = "nothing ran behind the graph break";
  } else {
    frame.graphs = 0;
  }
  return body;
}

/// The only function at the end of the stacks printed with `function`, if `taken` does not contain
/// it. Frames come in order, so a later one of the same name resumes the first.
std::string LikelyName(const Session& session, const CodeObjectHistory& function,
                       std::set<std::pair<ProcessKey, StrId>>& taken) {
  StrId name{};
  for (const HistoryEvent event : function.events) {
    const StrId own = session.detail(session.events()[event.index]).user_function;
    if (own == StrId::kNone) continue;
    if (name != StrId::kNone && name != own) return {};
    name = own;
  }
  if (name == StrId::kNone || !taken.insert({ProcessOf(function), name}).second) {
    return {};
  }
  return std::string(session.text(name));
}

/// The body of one code object, as far as its compilations show it; a function that resumes it is
/// separate here.
void ReadBody(const CodeBodies& bodies, RunFunction& function) {
  std::optional<CodeBody> code = bodies.Read(function.rank, function.frame, function.where);
  if (!code) return;
  BodyFrame& frame = code->body.frames.front();
  if (frame.knowledge == BodyKnowledge::kUnknown) return;
  // A graph without operations before a break still makes an entry, and the frame is compiled
  // again.
  frame.keeps_entry |= code->is_resumed || function.logged.graphs + function.logged.empty > 1;
  function.body = std::move(code->body);
  function.is_probed = code->is_probed;
  function.body.frames.front().are_objects_alike = code->are_objects_alike;
}

std::set<std::string> NamesOf(const LoggedValues& log_values) {
  std::set<std::string> names;
  for (const LoggedSource& source : log_values.sources()) names.insert(NameOfSource(source.name));
  return names;
}

/// Guards without a value are sources of the history; every body depends on them, even a known one.
void AddGuardSources(RunFunction& function) {
  if (function.body.frames.empty() || function.body.frames.front().reads_all) return;
  for (const StrId source : function.history.sources) {
    const std::string_view text = function.history.strings.text(source);
    if (!text.starts_with(kGuardPrefix)) continue;
    function.body.frames.front().sources.push_back(
        {.source = std::string(text), .use = SourceUse::kConstant});
  }
}

/// Arguments that appear only in guards of a resume function are read only after the graph break.
void FindUnreadSources(const std::vector<CodeObjectHistory>& attempted,
                       const std::vector<std::unique_ptr<LoggedValues>>& log_values,
                       std::vector<std::unique_ptr<RunFunction>>& functions) {
  // Names that resume functions read, by process and by the function that is resumed.
  std::map<std::pair<ProcessKey, std::string_view>, std::set<std::string>> resumed_names;
  for (size_t index = 0; index < attempted.size(); ++index) {
    const auto resume = ParseResumeName(functions[index]->where.function);
    if (!resume) continue;
    resumed_names[{ProcessOf(attempted[index]), resume->function}].merge(
        NamesOf(*log_values[index]));
  }
  for (size_t index = 0; index < attempted.size(); ++index) {
    RunFunction& function = *functions[index];
    if (function.origin != HistoryOrigin::kCalls || function.where.function.empty()) continue;
    const auto found = resumed_names.find({ProcessOf(attempted[index]), function.where.function});
    if (found == resumed_names.end()) continue;
    const std::set<std::string>& resumed = found->second;
    const std::set<std::string> own = NamesOf(*log_values[index]);
    for (const StrId source : function.history.sources) {
      const std::string_view text = function.history.strings.text(source);
      const std::string name = NameOfSource(text);
      if (!resumed.contains(name) || own.contains(name)) continue;
      function.body.frames.front().sources.push_back(
          {.source = std::string(text), .use = SourceUse::kUnread});
    }
  }
}

void AddMissedProbes(const RunProbes& probes,
                     const std::vector<std::unique_ptr<RunFunction>>& functions) {
  for (const auto& [where, why] : probes.missed) {
    for (const std::unique_ptr<RunFunction>& function : functions) {
      if (function->where == where) function->probe_missed = why;
    }
  }
}

HistoryOrigin OriginOf(const CodeObjectHistory& function) {
  for (const auto& [number, attempt] : function.attempts) {
    if (attempt.compilation != nullptr) return HistoryOrigin::kCompiles;
  }
  return HistoryOrigin::kMisses;
}

}  // namespace

std::vector<std::unique_ptr<RunFunction>> FunctionsOfRun(
    const Session& session, const std::vector<std::unique_ptr<RecordedFunction>>& recorded,
    const RunProbes* probes) {
  const TorchVersion torch = VersionOf(session);
  const std::set<ProcessKey> logging = ProcessesThatReportRecompiles(session);
  std::vector<std::unique_ptr<RunFunction>> functions;
  std::vector<std::unique_ptr<LoggedValues>> all_log_values;
  std::set<std::pair<ProcessKey, StrId>> likely_names;
  std::vector<CodeObjectHistory> all_attempted = ReadHistories(session);
  std::erase_if(all_attempted, [](const auto& history) { return history.attempts.empty(); });
  for (const CodeObjectHistory& attempted : all_attempted) {
    auto function = std::make_unique<RunFunction>();
    function->where = {.function = std::string(session.text(attempted.function)),
                       .file = std::string(session.text(attempted.file)),
                       .line = attempted.function_line};
    if (attempted.function == StrId::kNone) {
      function->likely_name = LikelyName(session, attempted, likely_names);
    }
    function->rank = attempted.rank;
    function->frame = attempted.frame;
    function->was_reset = attempted.is_displaced;
    function->torch = torch;
    for (const HistoryEvent event : attempted.events) function->events.push_back(event.index);
    function->logged = LoggedOf(attempted, logging.contains(ProcessOf(attempted)));
    function->origin = OriginOf(attempted);
    const LoggedValues& log_values =
        *all_log_values.emplace_back(std::make_unique<LoggedValues>(session, attempted));
    log_values.Fill(function->history);
    function->unexplained_misses = log_values.num_unexplained();
    function->failed_relations = log_values.failed_relations();
    const OwnPolicy own = PolicyOfAttempts(session, attempted, log_values);
    function->policy = own.policy;
    size_t call = 0;
    for (const auto& [number, wrapper] : own.wrappers) {
      if (call < function->history.calls.size()) function->history.calls[call].wrapper = wrapper;
      ++call;
    }
    function->body = BodyOfMisses(function->where.function, own, function->logged);
    functions.push_back(std::move(function));
  }
  const CodeBodies bodies(session, probes);
  for (size_t index = 0; index < functions.size(); ++index) {
    const auto& attempts = all_attempted[index].attempts;
    const bool has_record = std::ranges::any_of(attempts, [](const auto& numbered) {
      return numbered.second.compilation != nullptr || numbered.second.guards != nullptr;
    });
    const LoggedCompiles& logged = functions[index]->logged;
    if (has_record && logged.graphs + logged.empty > 0) {
      ReadBody(bodies, *functions[index]);
    }
  }
  AttachRecordedCalls(recorded, all_log_values, functions);
  FindUnreadSources(all_attempted, all_log_values, functions);
  for (const std::unique_ptr<RunFunction>& function : functions) AddGuardSources(*function);
  if (probes != nullptr) AddMissedProbes(*probes, functions);
  return functions;
}

std::optional<double> PredictedCompileSeconds(const PredictedTotals& totals,
                                              const LoggedCompiles& logged) {
  double seconds = 0;
  const uint64_t dynamic_graphs = totals.graphs - std::min(totals.graphs, totals.static_graphs);
  const auto add = [&seconds](uint64_t graphs, const std::optional<double>& mean) {
    if (mean) seconds += static_cast<double>(graphs) * *mean;
    return graphs == 0 || mean.has_value();
  };
  if (!add(totals.static_graphs, logged.static_seconds)) return std::nullopt;
  if (!add(dynamic_graphs, logged.dynamic_seconds)) return std::nullopt;
  if (!logged.static_seconds && !logged.dynamic_seconds) return std::nullopt;
  return seconds;
}

}  // namespace shapewise
