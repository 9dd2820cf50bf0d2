#include "causes/find_causes.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "causes/constant_size.h"
#include "causes/container_items.h"
#include "causes/culprit_chain.h"
#include "causes/culprit_key.h"
#include "causes/describe_sizes.h"
#include "causes/display_name.h"
#include "causes/entry_values.h"
#include "causes/grad_mode_changes.h"
#include "causes/tally.h"
#include "causes/value_history.h"
#include "causes/value_pattern.h"
#include "causes/value_use.h"
#include "model/compile_number.h"
#include "model/source_ref.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using ChainKey = std::tuple<StrId, StrId, uint32_t>;  // function, file, first line
// One compiled function, over all processes.
struct ChainedFunction {
  ChainKey key;
  bool is_wrapper = false;
  std::deque<Chain> chains;  // references stay valid
  std::map<CulpritKey, size_t> chain_of_culprit;
  std::set<std::pair<CulpritKey, CulpritKey>> checked_before;
  // Sizes of list items that struck, by source with any index and by dim.
  std::map<std::pair<std::string, int32_t>, std::set<size_t>> items;
  Tally<UserPlace> own_users;  // of a wrapper: places in the user's own code
  ReasonsByGuard reasons;
  SharedCauses shared;
  EntryValues entry_values;
  std::optional<CulpritKey> limited;  // the culprit of the last limit with a reason
  std::optional<size_t> first_miss;   // event
  // Set when all are noted.
  VaryingSources varying;
  ChainTotals totals;
  std::optional<ReasonIndex> index;  // of reasons
  OptionalValues optional;
  GradModeChanges mode_changes;
};

// Position of an event in the run.
struct BreakMoment {
  uint32_t stretch = 0;
  uint32_t compile = 0;
  bool repeats_recompile = false;  // a limit warning right after the recompile that hit it
};

// A recompile or limit with reasons. Each is assigned to a chain when all are noted: later records
// show for which values an entry was compiled. A limit comes last, as its chain may come later in
// another process.
struct PendingMiss {
  size_t event = 0;
  size_t function = 0;
  BreakMoment moment;
};

class ChainFolder {
 public:
  ChainFolder(const Session& session, const CompileHistory& run);

  void Add(size_t index, bool is_limit);
  std::vector<Cause> Finish();

 private:
  const Event& event(size_t index) const { return session_.events()[index]; }
  Place PlaceOf(const UserPlace& user) const;
  Place WholePath(Place user, const Place& where) const;

  size_t FunctionOf(const EventDetail& detail);
  Chain& ChainOf(ChainedFunction& function, const CulpritKey& key);
  BreakMoment MomentOf(size_t index);
  const CodeObjectHistory& HistoryOf(const BreakMoment& moment) const;
  std::vector<std::optional<uint32_t>> EntriesOf(const EventDetail& detail,
                                                 const BreakMoment& moment) const;
  void NoteReasons(ChainedFunction& function, const EventDetail& detail, const BreakMoment& moment);
  void NoteCheckOrder(ChainedFunction& function, const EventDetail& detail,
                      const BreakMoment& moment);
  size_t DecisiveReason(ChainedFunction& function, const EventDetail& detail,
                        const BreakMoment& moment);
  void Strike(Chain& chain, size_t index, const Reason* reason, bool counts);
  void PlaceRecompile(const PendingMiss& pending);
  void PlaceLimit(const PendingMiss& pending);
  ValuePattern PatternOf(const ChainedFunction& function, const Chain& chain, const Cause& cause,
                         const ProcessKey& process, const ValueHistories& histories) const;
  std::string AlsoFailedText(const ChainedFunction& function, const Chain& chain);
  Cause MakeCause(ChainedFunction& function, const Chain& chain);
  Place UserOf(const ChainedFunction& function, const Chain& chain, const Place& where) const;

  const Session& session_;
  const std::vector<CodeObjectHistory>& histories_;
  const CompileLedger& ledger_;
  CulpritKeys keys_;
  const ConstantSizes& constant_sizes_;
  SizeBounds bounds_;
  std::deque<ChainedFunction> functions_;  // references stay valid
  std::map<ChainKey, size_t> function_of_key_;
  std::set<std::string> reversed_files_;  // of functions_, each from its last letter to the first
  std::unordered_map<size_t, BreakMoment> moments_;  // by event
  std::vector<ProcessKey> stretches_;                // those of histories_ first
  std::vector<PendingMiss> recompiles_;
  std::vector<PendingMiss> limits_;
  std::vector<PendingMiss> cut_limits_;                         // the same, cut before the reason
  std::map<std::pair<uint32_t, uint32_t>, CulpritKey> struck_;  // by stretch and compile
};

ChainFolder::ChainFolder(const Session& session, const CompileHistory& run)
    : session_(session),
      histories_(run.functions),
      ledger_(run.ledger),
      keys_(session),
      constant_sizes_(run.constant_sizes),
      bounds_(session, run.functions) {
  for (const CodeObjectHistory& history : histories_) {
    const auto stretch = static_cast<uint32_t>(stretches_.size());
    stretches_.push_back(ProcessOf(history));
    std::optional<uint32_t> last_miss;
    for (const HistoryEvent& of_history : history.events) {
      const EventKind kind = session.detail(event(of_history.index)).kind();
      if (kind != EventKind::kRecompile && kind != EventKind::kRecompileLimit) continue;
      const bool is_limit = kind == EventKind::kRecompileLimit;
      // Number 0 is that of a record without an id: the first compile follows no miss.
      moments_[of_history.index] = {
          .stretch = stretch,
          .compile = std::max(of_history.number, 1U),
          .repeats_recompile = is_limit && last_miss == of_history.number};
      last_miss.reset();
      if (!is_limit) last_miss = of_history.number;
    }
  }
}

Place ChainFolder::PlaceOf(const UserPlace& user) const {
  const auto& [file, line, function] = user;
  return {std::string(session_.text(function)), std::string(session_.text(file)), line};
}

size_t ChainFolder::FunctionOf(const EventDetail& detail) {
  const ChainKey key(detail.function, detail.file, detail.function_line);
  const auto [found, is_new] = function_of_key_.try_emplace(key, functions_.size());
  if (is_new) {
    ChainedFunction& function = functions_.emplace_back();
    function.key = key;
    const std::string_view file = session_.text(detail.file);
    function.is_wrapper = IsWrapper(session_.text(detail.function), file);
    reversed_files_.emplace(file.rbegin(), file.rend());
  }
  return found->second;
}

Chain& ChainFolder::ChainOf(ChainedFunction& function, const CulpritKey& key) {
  const auto [found, is_new] = function.chain_of_culprit.try_emplace(key, function.chains.size());
  if (is_new) function.chains.emplace_back().key = key;
  return function.chains[found->second];
}

// Finds the compile that the event `index` is about. A stretch is one history of a code object:
// torch._dynamo.reset() begins another.
BreakMoment ChainFolder::MomentOf(size_t index) {
  const auto found = moments_.find(index);
  if (found != moments_.end()) return found->second;
  // No history contains it: the miss was refused before anything was compiled.
  stretches_.push_back(ProcessOf(event(index)));
  return {.stretch = static_cast<uint32_t>(stretches_.size() - 1), .compile = 1};
}

// The history of a stretch; an empty one if the miss was refused before anything was compiled.
const CodeObjectHistory& ChainFolder::HistoryOf(const BreakMoment& moment) const {
  static const CodeObjectHistory unknown;
  return moment.stretch < histories_.size() ? histories_[moment.stretch] : unknown;
}

// For each reason the compile of the entry that failed, where it is known.
std::vector<std::optional<uint32_t>> ChainFolder::EntriesOf(const EventDetail& detail,
                                                            const BreakMoment& moment) const {
  return HistoryOf(moment).EntriesOf(session_, detail, moment.compile);
}

// Stores the values that all entries give for all culprits: an older entry contains values that the
// newest does not.
void ChainFolder::NoteReasons(ChainedFunction& function, const EventDetail& detail,
                              const BreakMoment& moment) {
  std::map<CulpritKey, std::set<StrId>> guards;
  std::map<CulpritKey, ConstantSizes::EntriesByValue> entries_of_sizes;
  const auto entries = EntriesOf(detail, moment);
  for (size_t i = 0; i < entries.size(); ++i) {
    const Reason& reason = session_.reason(detail.reasons()[i]);
    const CulpritKey key = keys_.KeyOf(reason);
    const bool is_of_keys = reason.guard_class == GuardClass::kKeys;
    function.reasons.try_emplace(
        {reason.source, reason.guard_class, is_of_keys ? reason.guard : StrId::kNone}, &reason);
    function.shared.Note(session_, reason);
    Chain& chain = ChainOf(function, key);
    if (chain.source == StrId::kNone) chain.source = reason.source;
    if (reason.value_type != PythonType::kUnknown) {
      const bool agrees = chain.value_type.value_or(reason.value_type) == reason.value_type;
      chain.value_type = agrees ? reason.value_type : PythonType::kUnknown;
    }
    if (chain.codes.insert(reason.code).second) {
      const std::string_view code = session_.text(reason.code);
      const std::string_view source = session_.text(reason.source);
      if (const ValueUse use = FindUse(code, source); use > chain.use) {
        chain.use = use;
        // A guard's comment cuts the path.
        const bool is_here = reason.user_function == detail.function &&
                             session_.text(detail.file).ends_with(session_.text(reason.user_file));
        chain.used_line = is_here ? reason.user_line : 0;
      }
      AddMathCalls(code, source, chain.math_calls);
    }
    std::set<StrId>& guards_of_key = guards[key];
    guards_of_key.insert(reason.guard);
    chain.num_entries = std::max<uint64_t>(chain.num_entries, guards_of_key.size());
    chain.is_symbolic |= IsRelation(reason.guard_class);
    auto constant = constant_sizes_.Add(HistoryOf(moment), reason, entries[i], moment.compile,
                                        entries_of_sizes[key]);
    if (constant && constant->by > chain.constant.by) chain.constant = std::move(*constant);
    chain.histories[moment.stretch].Add(session_, reason, entries[i], moment.compile);
    if (function.is_wrapper && reason.user_function != StrId::kNone &&
        !IsLibraryFile(session_.text(reason.user_file))) {
      function.own_users.Add({reason.user_file, reason.user_line, reason.user_function});
    }
  }
}

// Notes guards that are checked before others: an entry failed on them, and differs in the others.
void ChainFolder::NoteCheckOrder(ChainedFunction& function, const EventDetail& detail,
                                 const BreakMoment& moment) {
  const auto entries = EntriesOf(detail, moment);
  std::vector<CulpritKey> keys;
  for (const ReasonId id : detail.reasons()) keys.push_back(keys_.KeyOf(session_.reason(id)));
  const std::set<CulpritKey> others(keys.begin(), keys.end());
  for (size_t i = 0; i < entries.size(); ++i) {
    for (const CulpritKey& other : others) {
      if (other == keys[i] || !entries[i]) continue;
      const ValueHistory& history = ChainOf(function, other).histories[moment.stretch];
      // An entry in which the other is dynamic does not fail on it, wherever it is checked.
      const bool is_constant =
          other.group == GuardClass::kIdentity || history.IsConstantIn(*entries[i]);
      if (is_constant && history.Agree(*entries[i], moment.compile) == false) {
        function.checked_before.emplace(keys[i], other);
      }
    }
  }
}

// The reason without which the call would have found an entry: that of the newest entry, unless an
// older entry has the value on which it failed. The guard on which that older entry failed decides
// then.
size_t ChainFolder::DecisiveReason(ChainedFunction& function, const EventDetail& detail,
                                   const BreakMoment& moment) {
  const auto entries = EntriesOf(detail, moment);
  const auto key_of = [&](size_t i) { return keys_.KeyOf(session_.reason(detail.reasons()[i])); };
  std::vector<std::pair<CulpritKey, bool>> passed;  // and whether the guard was a relation
  // Whether an entry failed on `key` that has the same value of it as `entry`; true: unknown.
  const auto has_failed = [&](const CulpritKey& key, uint32_t entry) {
    const ValueHistory& history = ChainOf(function, key).histories[moment.stretch];
    bool has = false;
    for (size_t i = 0; i < entries.size(); ++i) {
      has |= key_of(i) == key && (!entries[i] || history.Agree(*entries[i], entry) != false);
    }
    return has;
  };
  // Whether the entry of reason `i` has the values that all of `passed` guard.
  const auto passes = [&](size_t i) {
    return std::ranges::all_of(passed, [&](const auto& failed) {
      const auto& [key, is_relation] = failed;
      // Checked before all else (torch/csrc/dynamo/guards.cpp), so that an entry that failed on
      // something else has it.
      if (key.group == GuardClass::kGlobalState) return true;
      const auto agree =
          ChainOf(function, key).histories[moment.stretch].Agree(*entries[i], moment.compile);
      if (agree) return *agree;
      // No later record shows the values of the last compile. An entry passed the guards that come
      // before the one on which it failed, and all entries with its value would have failed on it.
      if (function.checked_before.contains({key_of(i), key})) return false;
      // Relations are checked last, whatever their sources.
      const bool is_before = !is_relation && function.checked_before.contains({key, key_of(i)});
      return is_before || !has_failed(key, *entries[i]);
    });
  };
  std::optional<size_t> next = NewestReason(session_, detail.reasons());
  size_t decisive = *next;
  for (; next; decisive = next.value_or(decisive)) {
    const GuardClass of_decisive = session_.reason(detail.reasons()[decisive]).guard_class;
    passed.emplace_back(key_of(decisive), IsRelation(of_decisive));
    next.reset();
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i] || *entries[i] >= moment.compile) continue;
      if (next && *entries[i] <= *entries[*next]) continue;
      const bool is_new = std::ranges::none_of(
          passed, [&](const auto& failed) { return failed.first == key_of(i); });
      if (is_new && passes(i)) next = i;
    }
  }
  return decisive;
}

// Counts one event for a chain. `reason` is the failure that assigned it to this chain.
void ChainFolder::Strike(Chain& chain, size_t index, const Reason* reason, bool counts) {
  const Event& striking = event(index);
  const EventDetail& detail = session_.detail(striking);
  if (reason != nullptr) {
    if (!chain.has_reason) {
      chain.printed_source = reason->source;
      chain.guard = reason->guard;
      chain.guard_class = reason->guard_class;
      chain.has_reason = true;
    }
    if (IsMoreSpecific(reason->guard_class, chain.guard_class)) {
      chain.guard_class = reason->guard_class;
      chain.guard = reason->guard;
    }
    if (chain.code == StrId::kNone) chain.code = reason->code;
    if (chain.outer_code == StrId::kNone) chain.outer_code = reason->outer_code;
    if (reason->hint != StrId::kNone) chain.hints.Add(reason->hint);
  }
  UserPlace user(detail.user_file, detail.user_line, detail.user_function);
  if (reason != nullptr && reason->user_file != StrId::kNone) {
    user = {reason->user_file, reason->user_line, reason->user_function};
  }
  // Dynamo itself creates some guards at the beginning of a frame.
  const bool is_dynamos = HasText(session_.text(std::get<0>(user)), "_dynamo/");
  if (user != UserPlace{} && !is_dynamos) {
    const bool is_library = IsLibraryFile(session_.text(std::get<0>(user)));
    (is_library ? chain.library_users : chain.own_users).Add(user);
  }
  chain.events.push_back(index);
  // A record without a reason may belong to a chain by those of others.
  chain.is_cut |= detail.cut && (reason != nullptr || !chain.has_reason);
  chain.has_whole_reason |= reason != nullptr && !detail.cut;
  chain.num_recompiles += detail.kind() == EventKind::kRecompile ? 1 : 0;
  if (const auto* recompile = detail.As<RecompileFact>()) chain.fatal |= recompile->fatal;
  chain.strikes[ProcessOf(striking)] += counts ? 1 : 0;
  if (striking.rank != kNoRank) chain.ranks.insert(striking.rank);
}

void ChainFolder::Add(size_t index, bool is_limit) {
  const EventDetail& detail = session_.detail(event(index));
  const size_t function = FunctionOf(detail);
  const BreakMoment moment = MomentOf(index);
  NoteReasons(functions_[function], detail, moment);
  if (!is_limit) {
    functions_[function].mode_changes.Add(session_, detail, HistoryOf(moment), moment.stretch,
                                          moment.compile);
  }
  if (!functions_[function].first_miss) functions_[function].first_miss = index;
  const bool is_cut = detail.cut && std::ranges::all_of(detail.reasons(), [this](ReasonId reason) {
                        return session_.reason(reason).guard_class == GuardClass::kEmpty;
                      });
  auto& misses = !is_limit ? recompiles_ : is_cut ? cut_limits_ : limits_;
  misses.push_back({index, function, moment});
}

void ChainFolder::PlaceRecompile(const PendingMiss& pending) {
  ChainedFunction& function = functions_[pending.function];
  const EventDetail& detail = session_.detail(event(pending.event));
  const BreakMoment& moment = pending.moment;
  const Reason* reason = nullptr;
  if (!detail.reasons().empty()) {
    reason = function.shared.LeadOf(
        session_, session_.reason(detail.reasons()[DecisiveReason(function, detail, moment)]));
  }
  Chain& chain = ChainOf(function, reason == nullptr ? CulpritKey{} : keys_.KeyOf(*reason));
  Strike(chain, pending.event, reason, /*counts=*/true);
  struck_[{moment.stretch, moment.compile}] = chain.key;
  if (reason != nullptr) {
    NoteChange(session_, *reason, moment.stretch, chain);
    chain.last_struck[moment.stretch] = moment.compile;
  }
  AddMicros(chain.cost, ledger_.MicrosOf(pending.event));
}

void ChainFolder::PlaceLimit(const PendingMiss& pending) {
  ChainedFunction& function = functions_[pending.function];
  const LimitFact& limit = *session_.detail(event(pending.event)).As<LimitFact>();
  const Reason* reason = nullptr;
  Chain* chain = nullptr;
  // The warning shows one reason, the record before it all of them.
  const auto repeated = struck_.find({pending.moment.stretch, pending.moment.compile});
  if (repeated != struck_.end()) chain = &ChainOf(function, repeated->second);
  if (!limit.reasons.empty()) {
    const EventDetail& detail = session_.detail(event(pending.event));
    const size_t decisive = DecisiveReason(function, detail, pending.moment);
    reason = function.shared.LeadOf(session_, session_.reason(limit.reasons[decisive]));
    Chain& own = ChainOf(function, keys_.KeyOf(*reason));
    if (chain == nullptr && !own.events.empty()) chain = &own;
  }
  if (chain == nullptr) chain = MostFrequent(function.chains);
  if (chain == nullptr && function.limited) {
    // Another process hit the limit of the function, and its warning has the reason.
    Chain& limited = ChainOf(function, *function.limited);
    if (!limited.strikes.contains(ProcessOf(event(pending.event)))) chain = &limited;
  }
  if (chain == nullptr) {
    chain = &ChainOf(function, reason == nullptr ? CulpritKey{} : keys_.KeyOf(*reason));
  }
  if (Chain* const multiplier = MultiplierOf(session_, *chain, function.chains)) chain = multiplier;
  // In a chain of another culprit, this one's guard and place would be misleading.
  const bool is_same_culprit = reason != nullptr && keys_.KeyOf(*reason) == chain->key;
  Strike(*chain, pending.event, is_same_culprit ? reason : nullptr,
         /*counts=*/!pending.moment.repeats_recompile);
  if (is_same_culprit) {
    if (!pending.moment.repeats_recompile) {
      NoteChange(session_, *reason, pending.moment.stretch, *chain);
    }
    chain->last_struck[pending.moment.stretch] = pending.moment.compile;
  }
  if (is_same_culprit && reason->guard_class != GuardClass::kEmpty) function.limited = chain->key;
  chain->limit_hit = true;
  if (chain->limit_name == LimitName::kNone) chain->limit_name = limit.limit_name;
  chain->limit = std::max(chain->limit, limit.limit.value_or(0));
}

// Comments of guards truncate the front of a path: "mp/app/train.py" is /tmp/app/train.py.
Place ChainFolder::WholePath(Place user, const Place& where) const {
  if (user.file.empty()) return user;
  if (where.file.ends_with(user.file)) {
    user.file = where.file;
    return user;
  }
  const std::string end(user.file.rbegin(), user.file.rend());
  const auto first = reversed_files_.lower_bound(end);
  if (first == reversed_files_.end() || !first->starts_with(end)) return user;
  const auto next = std::next(first);
  if (next != reversed_files_.end() && next->starts_with(end)) return user;  // of two files
  user.file.assign(first->rbegin(), first->rend());
  return user;
}

// Prefers the user's own code: the place in a guard's comment may be in a library that received the
// value.
Place ChainFolder::UserOf(const ChainedFunction& function, const Chain& chain,
                          const Place& where) const {
  Place user = PlaceOf(chain.own_users.Best());
  if (chain.own_users.empty()) user = PlaceOf(function.own_users.Best());
  if (user == Place{}) user = PlaceOf(chain.library_users.Best());
  return WholePath(std::move(user), where);
}

// The pattern of the values in `process`, of which these are the histories.
ValuePattern ChainFolder::PatternOf(const ChainedFunction& function, const Chain& chain,
                                    const Cause& cause, const ProcessKey& process,
                                    const ValueHistories& histories) const {
  PatternEvidence evidence;
  evidence.guard_class = chain.guard_class;
  evidence.value_type = cause.culprit->value_type;
  evidence.source = ParseSource(session_.text(chain.printed_source));
  evidence.dim = chain.key.dim;
  evidence.is_library_function = IsLibraryFile(cause.where.file) && !function.is_wrapper;
  evidence.is_package_function = IsOtherPackage(cause.where.file);
  evidence.num_strikes = chain.strikes.at(process);
  evidence.num_entries = chain.num_entries;
  evidence.limit_hit = chain.limit_hit;
  evidence.is_incremented = std::ranges::any_of(
      IncrementedTargets(session_.text(chain.code)), [&](std::string_view target) {
        return ParseSource(target).LastName() == evidence.source.LastName();
      });
  evidence.picks_callable =
      PicksCallable(session_.text(chain.code), session_.text(chain.printed_source));
  evidence.histories = histories;
  return JudgePattern(evidence);
}

// Guards in the first record of a function that no cause is about: others of the same entry, in a
// verbose log, or those of older entries whose own records the log lacks.
std::string ChainFolder::AlsoFailedText(const ChainedFunction& function, const Chain& chain) {
  constexpr size_t kMaxShown = 2;
  constexpr size_t kMaxLength = 120;
  if (chain.events.size() != 1 || chain.events.front() != function.first_miss) return {};
  std::set<CulpritKey> others;
  std::vector<std::string_view> guards;
  for (const ReasonId id : session_.detail(event(chain.events.front())).reasons()) {
    const Reason& reason = session_.reason(id);
    const std::string_view guard = session_.text(reason.guard);
    const CulpritKey key = keys_.KeyOf(*function.shared.LeadOf(session_, reason));
    const auto other = function.chain_of_culprit.find(key);
    if (reason.guard_class >= GuardClass::kEmpty || guard.size() > kMaxLength || key == chain.key ||
        other == function.chain_of_culprit.end() ||
        !function.chains[other->second].events.empty()) {
      continue;
    }
    if (others.insert(key).second && guards.size() < kMaxShown) guards.push_back(guard);
  }
  return Joined(guards, " and ");
}

Cause ChainFolder::MakeCause(ChainedFunction& function, const Chain& chain) {
  const auto& [name, file, line] = function.key;
  Cause cause;
  cause.kind = CauseKind::kRecompile;
  cause.where = {std::string(session_.text(name)), std::string(session_.text(file)), line};
  cause.user = UserOf(function, chain, cause.where);
  cause.display_function = DisplayFunction(cause.where, cause.user);
  const bool has_source = chain.key.source != 0;
  cause.culprit =
      Culprit{chain.guard_class, has_source ? std::string(session_.text(chain.printed_source)) : "",
              chain.key.dim, chain.value_type.value_or(PythonType::kUnknown)};
  cause.message = session_.text(chain.guard);
  if (chain.guard_class == GuardClass::kIdentity &&
      NamesMember(session_.text(chain.code), cause.message)) {
    cause.culprit->value_type = PythonType::kEnum;
  }
  cause.use = FindUse(session_.text(chain.code), session_.text(chain.printed_source));
  if (chain.use > cause.use) {
    cause.use = chain.use;
    if (chain.used_line > 0) cause.facts.emplace_back("used_line", std::to_string(chain.used_line));
  }
  // The line at which Dynamo makes the guard uses the number, there by another name.
  const bool is_renamed =
      chain.guard_class == GuardClass::kInt && cause.use == ValueUse::kUnknown &&
      FindWord(session_.text(chain.code),
               ParseSource(session_.text(chain.printed_source)).LastName()) == kNotFound;
  if (is_renamed && BoundsSlice(session_.text(chain.code))) cause.use = ValueUse::kSize;
  if (ParseSource(session_.text(chain.printed_source)).root == SourceRef::Root::kTemporary) {
    cause.use = FindUseOfItem(session_.text(chain.code));
  }
  if (function.shared.IsOfDecorator()) cause.facts.emplace_back("wrapped", "types and numbers");
  AddChainFacts(session_, chain, function.chains, function.totals, cause);
  cause.hint = session_.text(chain.hints.Best());
  if (std::string also = AlsoFailedText(function, chain); !also.empty()) {
    cause.facts.emplace_back("also_failed", std::move(also));
  }
  const bool has_empty_reason = chain.guard_class == GuardClass::kEmpty && chain.has_whole_reason;
  if (has_empty_reason) cause.facts.emplace_back("empty_reason", "printed");
  cause.is_cut = chain.is_cut && !has_empty_reason;
  cause.fatal = chain.fatal;
  cause.constant_by = chain.constant.by;
  if (const Place needed = WholePath(chain.constant.place, cause.where); !needed.file.empty()) {
    if (!function.is_wrapper && !IsLibraryFile(needed.file)) cause.user = needed;
    const std::string& pins = function.totals.pins;
    cause.facts.emplace_back("needed_at", pins.empty() ? std::string(PathFromPackage(needed.file)) +
                                                             ":" + std::to_string(needed.line)
                                                       : pins);
  }
  if (chain.guard_class == GuardClass::kGlobalState) {
    const uint32_t num_left = function.mode_changes.NumLeftGraphs();
    if (num_left > 0) cause.facts.emplace_back("left_graphs", std::to_string(num_left));
  }
  if (const uint32_t num_turns = function.mode_changes.NumTurns(); num_turns > 0) {
    cause.facts.emplace_back("mode_turns", std::to_string(num_turns));
  }
  if (const auto item = ParseListItem(cause.culprit->source)) {
    const auto items = function.items.find({item->OfAny(), chain.key.dim});
    if (items != function.items.end() && items->second.size() > 1) {
      cause.facts.emplace_back("items", items->first.first);
    }
  }
  cause.limit_hit = chain.limit_hit;
  cause.limit_name = chain.limit_name;
  cause.limit = chain.limit;
  if (chain.cost) cause.cost_seconds = ToSeconds(*chain.cost);
  cause.ranks.assign(chain.ranks.begin(), chain.ranks.end());
  cause.events = chain.events;
  std::sort(cause.events.begin(), cause.events.end());

  // The process in which it struck most often shows the pattern; of equals, the first.
  std::map<ProcessKey, ValueHistories> histories;
  for (const auto& [stretch, history] : chain.histories) {
    histories[stretches_[stretch]].push_back(&history);
  }
  ProcessKey main_process = chain.strikes.begin()->first;
  for (const auto& [process, strikes] : chain.strikes) {
    cause.count += strikes;
    if (strikes > chain.strikes.at(main_process)) main_process = process;
  }

  cause.pattern = PatternOf(function, chain, cause, main_process, histories[main_process]);
  if (DescribeRange(session_, chain, cause)) {
    const Reason& range = *chain.left_range;
    const Place asked = PlaceOf({range.user_file, range.user_line, range.user_function});
    const CodeOwner owner = OwnerOf(asked.file);
    // A question about a size in a library comes from a line of the user's that passes it on.
    const bool is_users = owner.IsUser() || (chain.key.dim < 0 && owner.library != "torch");
    if (!asked.file.empty() && is_users) {
      cause.user = owner.IsUser() ? WholePath(asked, cause.where) : asked;
    }
  }
  if (chain.key.group == GuardClass::kNone) DescribeMissing(*function.index, cause);
  DescribeItems(session_, *function.index, cause);
  DescribeOptional(function.optional, cause);

  // Its values are followed by those that occur only in other processes.
  std::vector<std::string_view> values = ValuesInOrder(histories[main_process]);
  std::set<std::string_view> distinct(values.begin(), values.end());
  for (const auto& [process, process_histories] : histories) {
    for (const std::string_view value : ValuesInOrder(process_histories)) {
      if (distinct.insert(value).second) values.push_back(value);
    }
  }
  cause.distinct_values = distinct.size();
  // No value is printed for objects, but each entry was compiled for a different one.
  if (values.empty() && chain.num_entries > 1) cause.distinct_values = chain.num_entries;
  values.resize(std::min(values.size(), kMaxCauseValues));
  cause.values.assign(values.begin(), values.end());
  DescribeSizes(session_, function.varying, chain, bounds_, cause);
  // A mark saves no compile if 0 or 1 is one of only two sizes: these are constants all the same.
  const auto num_special = distinct.count("0") + distinct.count("1");
  cause.is_after_first_change &= num_special == 0 || distinct.size() - num_special > 1;
  if (cause.culprit->guard_class == GuardClass::kRequiresGrad) AddStages(session_, cause);
  if (chain.limit_hit) AddLimitFacts(session_, function.chains, chain, values, cause);
  function.entry_values.AddFacts(session_, cause);
  return cause;
}

std::vector<Cause> ChainFolder::Finish() {
  for (const auto* misses : {&recompiles_, &limits_, &cut_limits_}) {
    for (const PendingMiss& pending : *misses) {
      NoteCheckOrder(functions_[pending.function], session_.detail(event(pending.event)),
                     pending.moment);
    }
  }
  for (const PendingMiss& pending : recompiles_) PlaceRecompile(pending);
  for (const auto* limits : {&limits_, &cut_limits_}) {
    for (const PendingMiss& pending : *limits) PlaceLimit(pending);
  }
  for (ChainedFunction& function : functions_) {
    for (Chain& chain : function.chains) {
      for (auto& [stretch, history] : chain.histories) {
        chain.alternates |= history.Alternates();
        const auto last = chain.last_struck.find(stretch);
        if (last != chain.last_struck.end()) history.DropAfter(last->second);
      }
      if (chain.events.empty() || chain.key.dim < 0) continue;
      const auto item = ParseListItem(session_.text(chain.printed_source));
      if (item) function.items[{item->OfAny(), chain.key.dim}].insert(item->index);
    }
  }

  // Also finds the code that a wrapper runs: the breaks in its frame name the user's place.
  for (const CodeObjectHistory& history : histories_) {
    const auto found =
        function_of_key_.find({history.function, history.file, history.function_line});
    if (found == function_of_key_.end()) continue;
    ChainedFunction& function = functions_[found->second];
    function.entry_values.Add(history);
    if (!function.is_wrapper) continue;
    for (const HistoryEvent& of_history : history.events) {
      const EventDetail& detail = session_.detail(event(of_history.index));
      const bool is_break =
          detail.kind() == EventKind::kGraphBreak && detail.user_function != StrId::kNone;
      if (!is_break || IsLibraryFile(session_.text(detail.user_file))) continue;
      function.own_users.Add({detail.user_file, detail.user_line, detail.user_function});
    }
  }

  std::vector<Cause> causes;
  for (ChainedFunction& function : functions_) {
    function.varying = FindVaryingSources(session_, function.chains);
    function.totals = TotalsOf(session_, function.chains);
    function.index.emplace(session_, function.reasons);
    function.optional = FindOptionalValues(session_, function.reasons);
    for (const Chain& chain : function.chains) {
      if (!chain.events.empty()) causes.push_back(MakeCause(function, chain));
    }
  }
  return causes;
}

}  // namespace

std::vector<Cause> FoldRecompiles(const Session& session, const std::vector<size_t>& order,
                                  const CompileHistory& history) {
  ChainFolder folder(session, history);
  for (const size_t index : order) {
    const EventKind kind = session.detail(session.events()[index]).kind();
    const bool is_limit = kind == EventKind::kRecompileLimit;
    if (is_limit || kind == EventKind::kRecompile) folder.Add(index, is_limit);
  }
  std::vector<Cause> causes = folder.Finish();
  MarkSettled(causes);
  return causes;
}

}  // namespace shapewise
