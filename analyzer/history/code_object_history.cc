#include "history/code_object_history.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "model/compile_number.h"

namespace shapewise {
namespace {

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
  size_t event_reasons = 0;
  const Compilation* compilation = nullptr;
  const PrintedGuards* guards = nullptr;
};

bool DescribesAttempt(EventKind kind) {
  constexpr EventKind kKinds[] = {
      EventKind::kRecompile,    EventKind::kRecompileLimit,      EventKind::kCompile,
      EventKind::kCompileError, EventKind::kConstraintViolation, EventKind::kSkippedFrame,
      EventKind::kGraphBreak,   EventKind::kImpliedRecompile};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

/// The record of `compiled`, a compilation or printed guards.
template <typename Compiled>
AttemptRecord RecordOf(const Compiled& compiled) {
  AttemptRecord record;
  record.input = compiled.input;
  record.line = compiled.line;
  record.rank = compiled.rank;
  record.compile_id = compiled.compile_id;
  record.function = compiled.function;
  record.file = compiled.file;
  record.function_line = compiled.function_line;
  return record;
}

std::vector<AttemptRecord> RecordsOf(const Session& session) {
  std::vector<AttemptRecord> records;
  for (size_t index = 0; index < session.events().size(); ++index) {
    const Event& event = session.events()[index];
    const EventDetail& detail = session.detail(event);
    if (!DescribesAttempt(detail.kind())) continue;
    records.push_back({.input = event.input,
                       .line = event.line,
                       .rank = event.rank,
                       .compile_id = event.compile_id,
                       .function = detail.function,
                       .file = detail.file,
                       .function_line = detail.function_line,
                       .event = &event,
                       .event_index = index,
                       .event_reasons = detail.reasons().size()});
  }
  for (const Compilation& compilation : session.compilations()) {
    records.emplace_back(RecordOf(compilation)).compilation = &compilation;
  }
  for (const PrintedGuards& guards : session.printed_guards()) {
    records.emplace_back(RecordOf(guards)).guards = &guards;
  }
  std::ranges::stable_sort(records, [](const AttemptRecord& a, const AttemptRecord& b) {
    return std::tie(a.input, a.line) < std::tie(b.input, b.line);
  });
  return records;
}

bool IsForward(const Compilation* compilation) {
  return compilation != nullptr && compilation->outcome != CompileOutcome::kBackward;
}

/// Assigns the records of a session, given in order, to code objects and attempts.
class AttemptCollector {
 public:
  AttemptCollector(const Session& session, const std::vector<AttemptRecord>& records)
      : session_(session) {
    for (const AttemptRecord& record : records) {
      if (record.compile_id != StrId::kNone) with_ids_.insert(ProcessOf(record));
      if (!IsForward(record.compilation)) continue;
      const auto id = ParseCompileNumber(session.text(record.compile_id));
      if (id) last_compiled_[{ProcessOf(record), *id}] = record.line;
    }
  }

  void Add(const AttemptRecord& record) {
    if (record.compilation != nullptr && !IsForward(record.compilation)) {
      return AddBackward(record);
    }
    const EventKind kind =
        record.event == nullptr ? EventKind::kCompile : session_.detail(*record.event).kind();
    const bool is_miss = kind == EventKind::kRecompile;
    const bool has_ids = with_ids_.contains(ProcessOf(record));
    auto id = ParseCompileNumber(session_.text(record.compile_id));
    const bool is_derived = record.event != nullptr && record.compile_id == StrId::kNone &&
                            (!has_ids || kind == EventKind::kRecompileLimit);
    if (is_derived) id = CompileOf(session_, *record.event);
    // A miss without id among records with ids was refused (set_stance): nothing was compiled.
    if (!id && is_miss && has_ids) {
      if (record.function != StrId::kNone) AddRefused(record);
      return;
    }
    CodeObjectHistory* history = nullptr;
    if (id) {
      if (is_derived && is_miss) id->compile = NumberOfMiss(record, *id);
      history = OfFrame(record, *id);
    } else if (record.function != StrId::kNone) {
      history = OfName(record);
    } else {
      history = OfRaised(record);
    }
    if (history == nullptr) return;
    auto& attempts = history->attempts;
    // Without an id it is unknown which attempt a record belongs to, and in old logs it may be the
    // index of its function; a recompile without id is one more attempt.
    if (!id && !is_miss && attempts.empty()) attempts[0];
    uint32_t number = attempts.empty() ? 1 : attempts.rbegin()->first + (is_miss ? 1 : 0);
    // 2.2 and 2.3 print no entry ids, but all entries; the log may begin later than the run.
    if (is_miss) number = std::max(number, static_cast<uint32_t>(record.event_reasons));
    if (id) number = id->compile;
    if (record.event != nullptr) history->events.push_back({record.event_index, number});
    Note(record, attempts[number]);
  }

  std::vector<CodeObjectHistory> Take() {
    NameStretches();
    std::vector<CodeObjectHistory> functions;
    size_t added = 0;
    for (CodeObjectHistory& function : histories_) {
      if (function.events.empty() && function.attempts.empty()) continue;
      // Attempts before the first one in the log existed, too.
      const uint32_t end = function.attempts.empty() ? 0 : function.attempts.rbegin()->first;
      for (uint32_t number = 0; number < end && added < kMaxAdded; ++number) {
        added += function.attempts.try_emplace(number).second ? 1 : 0;
      }
      functions.push_back(std::move(function));
    }
    std::ranges::stable_sort(functions, [](const CodeObjectHistory& a, const CodeObjectHistory& b) {
      return std::tie(a.rank, a.input, a.line) < std::tie(b.rank, b.input, b.line);
    });
    return functions;
  }

 private:
  static constexpr size_t kMaxAdded = 65536;  // hostile ids name huge numbers

  /// A refused miss leaves no entry, so that the id of the next one is derived to be the same: it
  /// is another call all the same.
  uint32_t NumberOfMiss(const AttemptRecord& record, const CompileNumber& id) const {
    const auto found = frames_.find({ProcessOf(record), id.frame});
    if (found == frames_.end()) return id.compile;
    const auto& attempts = histories_[found->second].attempts;
    const auto known = attempts.find(id.compile);
    const bool is_last = known != attempts.end() && std::next(known) == attempts.end();
    return is_last && known->second.miss != nullptr ? id.compile + 1 : id.compile;
  }

  /// A backward graph is compiled separately, and belongs to the attempt with its id.
  void AddBackward(const AttemptRecord& record) {
    const auto id = ParseCompileNumber(session_.text(record.compile_id));
    if (!id) return;
    const auto found = frames_.find({ProcessOf(record), id->frame});
    if (found == frames_.end()) return;
    auto& attempts = histories_[found->second].attempts;
    const auto attempt = attempts.find(id->compile);
    if (attempt != attempts.end()) attempt->second.backward.push_back(record.compilation);
  }

  /// Appends a miss for which nothing was compiled to the attempts of its function.
  void AddRefused(const AttemptRecord& record) {
    CodeObjectHistory* const history = OfName(record);
    uint32_t last = history->attempts.empty() ? 0 : history->attempts.rbegin()->first;
    if (!history->events.empty()) last = std::max(last, history->events.back().number);
    history->events.push_back({record.event_index, last + 1});
  }

  using Name = std::tuple<ProcessKey, StrId, StrId, uint32_t>;
  static Name NameOf(const AttemptRecord& record) {
    return {ProcessOf(record), record.function, record.file, record.function_line};
  }

  static bool AreSame(StrId known, StrId given) {
    return known == StrId::kNone || given == StrId::kNone || known == given;
  }

  /// The user's line that caused the first printed guards or symbols of `function`.
  static std::tuple<StrId, uint32_t, StrId> GuardPlace(const CodeObjectHistory& function) {
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

  /// A stretch that no record names belongs to the earlier function with the same number whose
  /// guards come from the same line.
  void NameStretches() {
    using Key = std::tuple<ProcessKey, std::optional<uint32_t>, std::tuple<StrId, uint32_t, StrId>>;
    std::map<Key, size_t> named;
    for (size_t index = 0; index < histories_.size(); ++index) {
      CodeObjectHistory& function = histories_[index];
      const auto place = GuardPlace(function);
      if (std::get<1>(place) == 0) continue;
      const Key key(ProcessOf(function), function.frame, place);
      if (function.function != StrId::kNone) {
        named.try_emplace(key, index);
      } else if (const auto known = named.find(key); known != named.end()) {
        const CodeObjectHistory& earlier = histories_[known->second];
        function.function = earlier.function;
        function.file = earlier.file;
        function.function_line = earlier.function_line;
        function.is_fresh_stretch = true;
      }
    }
  }

  void Begin(const AttemptRecord& record, std::optional<uint32_t> frame) {
    CodeObjectHistory& function = histories_.emplace_back();
    function.rank = record.rank;
    function.input = record.input;
    function.line = record.line;
    function.frame = frame;
  }

  void SetName(size_t index, const AttemptRecord& record) {
    CodeObjectHistory& function = histories_[index];
    if (record.function == StrId::kNone || function.function != StrId::kNone) return;
    function.function = record.function;
    function.file = record.file;
    function.function_line = record.function_line;
    function.is_fresh_stretch = !named_.insert_or_assign(NameOf(record), index).second;
  }

  CodeObjectHistory* OfFrame(const AttemptRecord& record, const CompileNumber& id) {
    const auto [found, is_new] =
        frames_.try_emplace({ProcessOf(record), id.frame}, histories_.size());
    if (is_new) Begin(record, id.frame);
    const CodeObjectHistory& known = histories_[found->second];
    if (!AreSame(known.function, record.function) || BeginsAgain(known, record, id.compile)) {
      histories_[found->second].is_displaced = !AreSame(known.function, record.function);
      found->second = histories_.size();
      Begin(record, id.frame);
    }
    SetName(found->second, record);
    return &histories_[found->second];
  }

  CodeObjectHistory* OfName(const AttemptRecord& record) {
    const auto found = named_.find(NameOf(record));
    if (found != named_.end()) return &histories_[found->second];
    Begin(record, std::nullopt);
    SetName(histories_.size() - 1, record);
    return &histories_.back();
  }

  /// A graph break that was raised as an error does not name the compiled function, but the one
  /// that contains it.
  CodeObjectHistory* OfRaised(const AttemptRecord& record) {
    if (record.event == nullptr) return nullptr;
    const EventDetail& detail = session_.detail(*record.event);
    if (!detail.is_fatal_break()) return nullptr;
    const auto [found, is_new] = raised_.try_emplace(
        {ProcessOf(record), detail.user_function, detail.user_file, detail.user_line},
        histories_.size());
    if (is_new) Begin(record, std::nullopt);
    return &histories_[found->second];
  }

  /// Whether `record` repeats something that happens only once, or belongs to an attempt that is
  /// already over, while another one with its number is to come. Up to 2.7 the record of what ended
  /// a compilation may come after its metrics.
  bool BeginsAgain(const CodeObjectHistory& function, const AttemptRecord& record,
                   uint32_t number) const {
    if (function.attempts.empty()) return false;
    const auto known = function.attempts.find(number);
    const bool is_earlier = number < function.attempts.rbegin()->first;
    if (record.event != nullptr) {
      const EventKind kind = session_.detail(*record.event).kind();
      if (kind == EventKind::kRecompile) {
        return is_earlier || (known != function.attempts.end() && known->second.miss != nullptr);
      }
      const bool is_over = known != function.attempts.end() && known->second.compilation != nullptr;
      if (kind != EventKind::kCompile && is_over && IsCompiledLater(record, number)) return true;
      return kind == EventKind::kRecompileLimit && is_earlier;
    }
    if (known == function.attempts.end()) return is_earlier;
    const PrintedGuards* const printed = known->second.guards;
    if (record.guards != nullptr) {
      return printed != nullptr && (is_earlier || PrintsAgain(*record.guards, *printed));
    }
    return known->second.compilation != nullptr;
  }

  /// Whether a compilation with the frame of `record` and this number follows.
  bool IsCompiledLater(const AttemptRecord& record, uint32_t number) const {
    const auto id = ParseCompileNumber(session_.text(record.compile_id));
    if (!id) return false;
    const auto last = last_compiled_.find({ProcessOf(record), {id->frame, number}});
    return last != last_compiled_.end() && last->second > record.line;
  }

  /// Whether the same guards are printed twice, and not those of a restarted compilation.
  bool PrintsAgain(const PrintedGuards& guards, const PrintedGuards& known) const {
    return known.guard_texts.is_printed && guards.guard_texts.is_printed &&
           RestartsOf(session_.text(guards.compile_id)) <=
               RestartsOf(session_.text(known.compile_id));
  }

  void Note(const AttemptRecord& record, CompileAttempt& attempt) {
    if (record.compilation != nullptr) {
      attempt.compilation = record.compilation;
      attempt.has_failed |= record.compilation->outcome == CompileOutcome::kFailed;
    }
    // Guards of an earlier attempt of the same compile lack what the restart found out.
    const bool has_printed = attempt.guards != nullptr && attempt.guards->guard_texts.is_printed;
    if (record.guards != nullptr && (record.guards->guard_texts.is_printed || !has_printed)) {
      attempt.guards = record.guards;
    }
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
  std::set<ProcessKey> with_ids_;  // processes whose records have compile ids
  std::vector<CodeObjectHistory> histories_;
  std::map<std::pair<ProcessKey, CompileNumber>, uint64_t> last_compiled_;  // line
  std::map<std::pair<ProcessKey, uint32_t>, size_t> frames_;  // the stretch that goes on
  std::map<Name, size_t> named_;
  std::map<std::tuple<ProcessKey, StrId, StrId, uint32_t>, size_t> raised_;
};

}  // namespace

bool CompileAttempt::LeftEntry() const {
  if (compilation != nullptr) {
    return compilation->outcome == CompileOutcome::kGraph ||
           compilation->outcome == CompileOutcome::kEmptyGraph;
  }
  return limit == nullptr && !has_failed;
}

bool CodeObjectHistory::LeftEntry(uint32_t number) const {
  const auto found = attempts.find(number);
  return found != attempts.end() && found->second.LeftEntry();
}

bool CodeObjectHistory::HitLimit() const {
  return std::ranges::any_of(attempts,
                             [](const auto& attempt) { return attempt.second.limit != nullptr; });
}

std::vector<std::optional<uint32_t>> CodeObjectHistory::EntriesOf(const Session& session,
                                                                  const EventDetail& detail,
                                                                  uint32_t number) const {
  const std::vector<ReasonId>& reasons = detail.reasons();
  std::vector<std::optional<uint32_t>> entries(reasons.size());
  for (size_t i = 0; i < reasons.size(); ++i) {
    const StrId printed = session.reason(reasons[i]).entry;
    if (const auto entry = ParseCompileNumber(session.text(printed))) {
      if (!frame || entry->frame == *frame) entries[i] = entry->compile;
    } else if (printed == StrId::kNone && number > 0) {
      if (reasons.size() == number) entries[i] = number - 1 - static_cast<uint32_t>(i);
      if (reasons.size() == 1) entries[i] = number - 1;
    }
  }
  return entries;
}

std::vector<CodeObjectHistory> ReadHistories(const Session& session) {
  const std::vector<AttemptRecord> records = RecordsOf(session);
  AttemptCollector collector(session, records);
  for (const AttemptRecord& record : records) collector.Add(record);
  return collector.Take();
}

std::set<ProcessKey> ProcessesThatReportRecompiles(const Session& session) {
  std::set<ProcessKey> processes;
  for (const Event& event : session.events()) {
    if (session.detail(event).kind() == EventKind::kRecompile) processes.insert(ProcessOf(event));
  }
  for (const Compilation& compilation : session.compilations()) {
    processes.insert(ProcessOf(compilation));
  }
  return processes;
}

}  // namespace shapewise
