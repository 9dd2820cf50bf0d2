#include "dynamo/run_attempts.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>
#include <utility>

#include "shapewise/model/compile_id.h"

namespace shapewise {
namespace {

/// The number of "0/3_1", which is 3; absent for ids of another form.
std::optional<uint32_t> NumberOf(std::string_view id) {
  id = WithoutAttempt(id);
  const size_t slash = id.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = id.substr(slash + 1);
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

/// What one record says, wherever it was found.
struct AttemptRecord {
  uint32_t input = 0;
  uint64_t line = 0;
  int32_t rank = kNoRank;
  StrId compile_id{};
  StrId function{};
  StrId file{};
  uint32_t function_line = 0;
  const Event* event = nullptr;
  size_t event_index = 0;
  const Compilation* compilation = nullptr;
  const PrintedGuards* guards = nullptr;
};

bool TellsOfAttempt(EventKind kind) {
  switch (kind) {
    case EventKind::kRecompile:
    case EventKind::kRecompileLimit:
    case EventKind::kCompile:
    case EventKind::kCompileError:
    case EventKind::kConstraintViolation:
    case EventKind::kSkippedFrame:
    case EventKind::kImpliedRecompile:
    case EventKind::kGraphBreak:
      return true;
    default:
      return false;
  }
}

std::vector<AttemptRecord> RecordsOf(const Session& session) {
  std::vector<AttemptRecord> records;
  for (size_t index = 0; index < session.events().size(); ++index) {
    const Event& event = session.events()[index];
    const EventDetail& detail = session.detail(event);
    if (!TellsOfAttempt(detail.kind())) continue;
    records.push_back({.input = event.input,
                       .line = event.line,
                       .rank = event.rank,
                       .compile_id = event.compile_id,
                       .function = detail.function,
                       .file = detail.file,
                       .function_line = detail.function_line,
                       .event = &event,
                       .event_index = index});
  }
  for (const Compilation& compilation : session.compilations()) {
    if (compilation.outcome == CompileOutcome::kBackward) continue;
    records.push_back({.input = compilation.input,
                       .line = compilation.line,
                       .rank = compilation.rank,
                       .compile_id = compilation.compile_id,
                       .function = compilation.function,
                       .file = compilation.file,
                       .function_line = compilation.function_line,
                       .compilation = &compilation});
  }
  for (const PrintedGuards& guards : session.printed_guards()) {
    records.push_back({.input = guards.input,
                       .line = guards.line,
                       .rank = guards.rank,
                       .compile_id = guards.compile_id,
                       .function = guards.function,
                       .file = guards.file,
                       .function_line = guards.function_line,
                       .guards = &guards});
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const AttemptRecord& a, const AttemptRecord& b) {
                     return std::tie(a.input, a.line) < std::tie(b.input, b.line);
                   });
  return records;
}

/// Puts the records of a session, given in order, where they belong.
class AttemptCollector {
 public:
  AttemptCollector(const Session& session, const std::vector<AttemptRecord>& records)
      : session_(session) {
    for (const AttemptRecord& record : records) {
      if (record.compile_id != StrId::kNone) with_ids_.insert({record.rank, record.input});
    }
  }

  void Add(const AttemptRecord& record) {
    const std::string id = IdOf(record);
    const std::optional<uint32_t> number = NumberOf(id);
    // Without an id nothing tells which attempt a record belongs to, and in old logs it may be the
    // how manieth of its function; a recompile without id is one more.
    const bool is_miss =
        record.event != nullptr && session_.detail(*record.event).kind() == EventKind::kRecompile;
    // A miss without id among records with ids was refused (set_stance): nothing was compiled.
    if (!number && is_miss && with_ids_.contains({record.rank, record.input})) return;
    AttemptedFunction* function = nullptr;
    if (number) {
      function = OfFrame(record, FrameOf(WithoutAttempt(id)), *number);
    } else if (record.function != StrId::kNone) {
      function = OfName(record);
    } else {
      function = OfRaised(record);
    }
    if (function == nullptr) return;
    if (record.event != nullptr) function->events.push_back(record.event_index);
    if (!number && !is_miss && function->attempts.empty()) function->attempts[0];
    const uint32_t next =
        function->attempts.empty() ? 1 : function->attempts.rbegin()->first + (is_miss ? 1 : 0);
    Note(record, function->attempts[number.value_or(next)]);
  }

  std::vector<AttemptedFunction> Take() {
    NameStretches();
    std::vector<AttemptedFunction> functions;
    for (AttemptedFunction& function : functions_) {
      if (function.attempts.empty()) continue;
      // What came before the first that is told of must have been compiled, too.
      for (uint32_t number = 0, end = function.attempts.rbegin()->first; number < end; ++number) {
        if (function.attempts.size() > kMaxAttempts) break;
        function.attempts[number];
      }
      functions.push_back(std::move(function));
    }
    std::stable_sort(functions.begin(), functions.end(),
                     [](const AttemptedFunction& a, const AttemptedFunction& b) {
                       return std::tie(a.rank, a.input, a.line) < std::tie(b.rank, b.input, b.line);
                     });
    return functions;
  }

 private:
  static constexpr size_t kMaxAttempts = 65536;  // a hostile id names a huge number

  using Process = std::pair<int32_t, uint32_t>;

  /// The compile id of `record`. Where the format of the log leaves it out, that of a miss follows
  /// from the newest entry that it names.
  std::string IdOf(const AttemptRecord& record) const {
    if (record.compile_id != StrId::kNone || record.event == nullptr ||
        with_ids_.contains({record.rank, record.input})) {
      return std::string(session_.text(record.compile_id));
    }
    std::string_view frame;
    uint32_t newest = 0;
    for (const ReasonId id : session_.detail(*record.event).reasons()) {
      const std::string_view entry = WithoutAttempt(session_.text(session_.reason(id).entry));
      const std::optional<uint32_t> number = NumberOf(entry);
      if (!number) continue;
      frame = FrameOf(entry);
      newest = std::max(newest, *number);
    }
    if (frame.empty()) return {};
    return std::string(frame) + "/" + std::to_string(newest + 1);
  }

  static bool AreSame(StrId known, StrId told) {
    return known == StrId::kNone || told == StrId::kNone || known == told;
  }

  /// The user's line that the first printed guards or symbols of `function` come from.
  static std::tuple<StrId, uint32_t, StrId> GuardPlace(const AttemptedFunction& function) {
    for (const auto& [number, attempt] : function.attempts) {
      if (attempt.guards == nullptr) continue;
      const PrintedGuards& guards = *attempt.guards;
      if (guards.user_line != 0) return {guards.user_file, guards.user_line, guards.user_function};
      for (const SymbolFact& fact : guards.symbols) {
        if (fact.user_line != 0) return {fact.user_file, fact.user_line, fact.user_function};
      }
    }
    return {};
  }

  /// A stretch that no record names is that of the earlier function with the same number whose
  /// guards come from the same line.
  void NameStretches() {
    using Key = std::tuple<Process, std::string, std::tuple<StrId, uint32_t, StrId>>;
    std::map<Key, size_t> named;
    for (size_t index = 0; index < functions_.size(); ++index) {
      AttemptedFunction& function = functions_[index];
      const auto place = GuardPlace(function);
      if (std::get<1>(place) == 0) continue;
      const Key key(Process(function.rank, function.input), function.frame, place);
      if (function.function != StrId::kNone) {
        named.try_emplace(key, index);
      } else if (const auto known = named.find(key); known != named.end()) {
        const AttemptedFunction& earlier = functions_[known->second];
        function.function = earlier.function;
        function.file = earlier.file;
        function.function_line = earlier.function_line;
        function.is_fresh_stretch = true;
      }
    }
  }

  void Begin(const AttemptRecord& record, std::string_view frame) {
    AttemptedFunction& function = functions_.emplace_back();
    function.rank = record.rank;
    function.input = record.input;
    function.line = record.line;
    function.frame = frame;
  }

  void Name(size_t index, const AttemptRecord& record) {
    AttemptedFunction& function = functions_[index];
    if (record.function == StrId::kNone || function.function != StrId::kNone) return;
    function.function = record.function;
    function.file = record.file;
    function.function_line = record.function_line;
    const auto key = std::make_tuple(Process(record.rank, record.input), record.function,
                                     record.file, record.function_line);
    function.is_fresh_stretch = !named_.insert({key, index}).second;
  }

  AttemptedFunction* OfFrame(const AttemptRecord& record, std::string_view frame, uint32_t number) {
    const auto [found, is_new] = frames_.try_emplace(
        {Process(record.rank, record.input), std::string(frame)}, functions_.size());
    if (is_new) Begin(record, frame);
    const AttemptedFunction& known = functions_[found->second];
    if (!AreSame(known.function, record.function) || BeginsAgain(known, record, number)) {
      functions_[found->second].is_displaced = !AreSame(known.function, record.function);
      found->second = functions_.size();
      Begin(record, frame);
    }
    Name(found->second, record);
    return &functions_[found->second];
  }

  AttemptedFunction* OfName(const AttemptRecord& record) {
    const auto key = std::make_tuple(Process(record.rank, record.input), record.function,
                                     record.file, record.function_line);
    const auto found = named_.find(key);
    if (found != named_.end()) return &functions_[found->second];
    Begin(record, {});
    Name(functions_.size() - 1, record);
    return &functions_.back();
  }

  /// A graph break that was raised as an error names no compiled function, but the one it is in.
  AttemptedFunction* OfRaised(const AttemptRecord& record) {
    if (record.event == nullptr) return nullptr;
    const EventDetail& detail = session_.detail(*record.event);
    if (!detail.is_fatal_break()) return nullptr;
    const auto [found, is_new] =
        raised_.try_emplace({Process(record.rank, record.input), detail.user_function,
                             detail.user_file, detail.user_line},
                            functions_.size());
    if (is_new) Begin(record, {});
    return &functions_[found->second];
  }

  /// Whether `record` tells for the second time of what happens once, or of an attempt that lies
  /// behind.
  bool BeginsAgain(const AttemptedFunction& function, const AttemptRecord& record,
                   uint32_t number) const {
    if (function.attempts.empty()) return false;
    const auto known = function.attempts.find(number);
    const bool is_behind = number < function.attempts.rbegin()->first;
    if (record.event != nullptr) {
      const EventKind kind = session_.detail(*record.event).kind();
      if (kind == EventKind::kRecompile) {
        return is_behind || (known != function.attempts.end() && known->second.miss != nullptr);
      }
      return false;
    }
    if (known == function.attempts.end()) return is_behind;
    if (record.guards != nullptr) return is_behind && known->second.guards != nullptr;
    return known->second.compilation != nullptr;
  }

  void Note(const AttemptRecord& record, CompileAttempt& attempt) {
    if (record.compilation != nullptr) {
      attempt.compilation = record.compilation;
      attempt.has_failed |= record.compilation->outcome == CompileOutcome::kFailed;
    }
    // Guards of an earlier attempt of the same compile lack what the restart found out.
    if (record.guards != nullptr) attempt.guards = record.guards;
    if (record.event == nullptr) return;
    const EventDetail& detail = session_.detail(*record.event);
    switch (detail.kind()) {
      case EventKind::kRecompile:
        attempt.miss = record.event;
        break;
      case EventKind::kRecompileLimit:
        attempt.limit = record.event;
        break;
      case EventKind::kCompile:
        if (attempt.compilation == nullptr) attempt.seconds = detail.As<CompileFact>()->seconds;
        break;
      case EventKind::kCompileError:
      case EventKind::kConstraintViolation:
      case EventKind::kSkippedFrame:
        attempt.has_failed = true;
        break;
      case EventKind::kGraphBreak:
        attempt.has_failed |= detail.is_fatal_break();
        break;
      default:
        break;
    }
  }

  const Session& session_;
  std::set<Process> with_ids_;  // processes whose records have compile ids
  std::vector<AttemptedFunction> functions_;
  std::map<std::pair<Process, std::string>, size_t> frames_;  // the stretch that goes on
  std::map<std::tuple<Process, StrId, StrId, uint32_t>, size_t> named_;
  std::map<std::tuple<Process, StrId, StrId, uint32_t>, size_t> raised_;
};

}  // namespace

bool AttemptedFunction::GaveCode(uint32_t number) const {
  const auto found = attempts.find(number);
  if (found == attempts.end()) return false;
  const CompileAttempt& attempt = found->second;
  if (attempt.compilation != nullptr) {
    return attempt.compilation->outcome == CompileOutcome::kGraph ||
           attempt.compilation->outcome == CompileOutcome::kEmptyGraph;
  }
  return attempt.limit == nullptr && !attempt.has_failed;
}

std::vector<AttemptedFunction> CollectAttempts(const Session& session) {
  const std::vector<AttemptRecord> records = RecordsOf(session);
  AttemptCollector collector(session, records);
  for (const AttemptRecord& record : records) collector.Add(record);
  return collector.Take();
}

std::set<std::pair<int32_t, uint32_t>> ProcessesThatTellRecompiles(const Session& session) {
  std::set<std::pair<int32_t, uint32_t>> processes;
  for (const Event& event : session.events()) {
    if (session.detail(event).kind() == EventKind::kRecompile) {
      processes.insert({event.rank, event.input});
    }
  }
  for (const Compilation& compilation : session.compilations()) {
    processes.insert({compilation.rank, compilation.input});
  }
  return processes;
}

}  // namespace shapewise
