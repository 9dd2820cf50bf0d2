#include "dynamo/run_parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "model/source_ref.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

bool IsRelation(const Reason& reason) {
  return reason.guard_class == GuardClass::kSymbolic || reason.guard_class == GuardClass::kZeroOne;
}

/// accumulated_recompile_limit is 256, so real logs have fewer entries; a hostile log may have
/// more.
constexpr size_t kMaxAttemptsAsked = 512;

/// Calls `handle` with each reason of each of the first misses, the number of the attempt that
/// missed and that of the one that made the entry.
template <typename Handle>
void ForReasons(const Session& session, const CodeObjectHistory& function, const Handle& handle) {
  size_t asked = 0;
  for (const auto& [number, attempt] : function.attempts) {
    if (attempt.miss == nullptr) continue;
    if (++asked > kMaxAttemptsAsked) return;
    const EventDetail& detail = session.detail(*attempt.miss);
    const auto entries = function.EntriesOf(session, detail, number);
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i] || *entries[i] >= number) continue;
      handle(session.reason(detail.reasons()[i]), number, *entries[i]);
    }
  }
}

/// Calls `handle` with each printed symbol of entry `number` for a size, and that size.
template <typename Handle>
void ForSizeSymbols(const Session& session, const CodeObjectHistory& function, uint32_t number,
                    const Handle& handle) {
  const auto attempt = function.attempts.find(number);
  if (attempt == function.attempts.end()) return;
  const auto visit = [&](const std::vector<SymbolFact>& facts) {
    for (const SymbolFact& fact : facts) {
      const SourceRef size = ParseSource(session.text(fact.source));
      if (size.property == SourceRef::Property::kSize) handle(fact, size);
    }
  };
  if (attempt->second.compilation != nullptr) visit(attempt->second.compilation->symbols);
  if (attempt->second.guards != nullptr) visit(attempt->second.guards->symbols);
}

/// Whether entry `number` has symbolic sizes according to everything except its misses.
bool IsPrintedSymbolic(const Session& session, const CodeObjectHistory& function, uint32_t number) {
  bool is_symbolic = false;
  ForSizeSymbols(session, function, number, [&](const SymbolFact& fact, const SourceRef&) {
    is_symbolic |= fact.kind == SymbolFact::Kind::kCreated;
  });
  return is_symbolic;
}

/// The symbolic dims of entry `number` in the format of torch.compiler.config.dynamic_sources:
/// "L['x']:0,L['y']:1".
std::string SymbolicDims(const Session& session, const CodeObjectHistory& function,
                         uint32_t number) {
  std::set<std::string> dims;
  ForSizeSymbols(session, function, number, [&](const SymbolFact&, const SourceRef& size) {
    dims.insert(std::string(size.object) + ":" + std::to_string(size.dim));
  });
  return Joined(dims, ",");
}

bool HasMarks(const LoggedValues& log_values, uint32_t number) {
  return std::ranges::any_of(log_values.sources(), [&](const LoggedSource& source) {
    const auto tensor = source.tensors.find(number);
    return tensor != source.tensors.end() && !tensor->second.marks.empty();
  });
}

/// Whether what `value_of` returns had another value before attempt `number` than in it.
template <typename Logged, typename ValueOf>
bool HadVaried(const std::map<uint32_t, Logged>& values, uint32_t number, const ValueOf& value_of) {
  const auto own = values.find(number);
  if (own == values.end()) return false;
  const auto value = value_of(own->second);
  if (!value) return false;
  return std::any_of(values.begin(), own, [&](const auto& earlier) {
    const auto other = value_of(earlier.second);
    return other && *other != *value;
  });
}

/// Attempts by wrapper: those whose misses check the same entries. Linear in reasons, up to a
/// logarithm.
class WrapperGroups {
 public:
  WrapperGroups(const Session& session, const CodeObjectHistory& function) {
    std::map<uint32_t, std::set<uint32_t>> asked;
    ForReasons(session, function, [&](const Reason&, uint32_t number, uint32_t entry) {
      // A compilation without code made no entry.
      if (function.LeftEntry(entry)) asked[number].insert(entry);
    });
    bool is_reported = !asked.empty();
    for (const auto& [number, attempt] : function.attempts) {
      const auto entries = asked.find(number);
      uint16_t group = 0;
      if (entries == asked.end()) {
        is_reported &= attempt.miss == nullptr && entries_.size() < kMaxAttemptsAsked;
        group = NewGroup();
      } else {
        group = groups_.at(*entries->second.begin());
        is_reported &= AreAllOf(group, entries->second);
      }
      if (!is_reported) break;
      groups_[number] = group;
      if (function.LeftEntry(number)) ++entries_[group];
    }
    if (!is_reported) groups_.clear();
  }

  bool has_several() const { return !groups_.empty() && entries_.size() > 1; }
  const std::map<uint32_t, uint16_t>& groups() const { return groups_; }

 private:
  uint16_t NewGroup() {
    entries_.push_back(0);
    return static_cast<uint16_t>(entries_.size() - 1);
  }

  /// Whether `entries` are the entries of `group` so far. Groups are only valid if each miss
  /// checked exactly its own entries.
  bool AreAllOf(uint16_t group, const std::set<uint32_t>& entries) const {
    return entries.size() == entries_[group] &&
           std::ranges::all_of(entries, [&](uint32_t entry) { return groups_.at(entry) == group; });
  }

  std::map<uint32_t, uint16_t> groups_;
  std::vector<size_t> entries_;  ///< how many entries each group has so far
};

/// Records the limits that were hit. A limit of an isolated wrapper applies to it alone if another
/// wrapper exceeded it.
void NoteLimits(const Session& session, const CodeObjectHistory& function, OwnPolicy& own) {
  std::map<uint16_t, int64_t> entries;
  for (const auto& [number, wrapper] : own.wrappers) {
    entries[wrapper] += function.LeftEntry(number) ? 1 : 0;
  }
  for (const auto& [number, attempt] : function.attempts) {
    if (attempt.limit == nullptr) continue;
    const LimitFact& fact = *session.detail(*attempt.limit).As<LimitFact>();
    if (!fact.limit) continue;
    const int64_t limit = *fact.limit;
    if (fact.limit_name == LimitName::kAccumulatedRecompileLimit) {
      own.policy.accumulated_recompile_limit = limit;
      // This limit was hit, so the other one is at least as large.
      own.policy.recompile_limit = std::max(own.policy.recompile_limit, limit);
      continue;
    }
    const bool is_own =
        std::ranges::any_of(entries, [&](const auto& wrapper) { return wrapper.second > limit; });
    if (is_own) {
      own.policy.isolated_limits[own.wrappers[number]] = limit;
    } else {
      own.policy.recompile_limit = limit;
    }
  }
}

}  // namespace

OwnPolicy PolicyOfAttempts(const Session& session, const CodeObjectHistory& function,
                           const LoggedValues& log_values) {
  OwnPolicy own;
  for (const HistoryEvent event : function.events) {
    const EventDetail& detail = session.detail(session.events()[event.index]);
    own.policy.fullgraph |= detail.is_fatal_break();
  }
  const WrapperGroups groups(session, function);
  if (groups.has_several()) {
    own.policy.isolate_recompiles = true;
    own.wrappers = groups.groups();
  }
  NoteLimits(session, function, own);

  bool is_anything_symbolic = false;
  bool is_first_symbolic = IsPrintedSymbolic(session, function, 0);
  bool is_first_static = false;
  bool has_static_of_varied = false;
  std::set<std::string> constants;
  for (const auto& [number, attempt] : function.attempts) {
    is_anything_symbolic |= IsPrintedSymbolic(session, function, number);
  }
  ForReasons(session, function, [&](const Reason& reason, uint32_t, uint32_t entry) {
    if (IsRelation(reason)) {
      is_anything_symbolic = true;
      is_first_symbolic |= entry == 0;
      return;
    }
    const LoggedSource* source = log_values.Find(session.text(reason.source));
    if (source == nullptr) return;
    if (reason.guard_class == GuardClass::kSize) {
      // 0 and 1 are constants under every policy.
      const auto size_of = [&](const LoggedTensor& tensor) -> std::optional<int64_t> {
        const auto size = tensor.sizes.find(reason.dim);
        if (size == tensor.sizes.end()) return std::nullopt;
        return size->second;
      };
      const auto own_value = source->tensors.find(entry);
      const auto size =
          own_value == source->tensors.end() ? std::nullopt : size_of(own_value->second);
      if (!size || *size < 2) return;
      is_first_static |= entry == 0;
      has_static_of_varied |= HadVaried(source->tensors, entry, size_of);
    } else if (reason.guard_class == GuardClass::kFloat || reason.guard_class == GuardClass::kInt) {
      const auto value_of = [](const LoggedScalar& scalar) -> std::optional<LoggedScalar> {
        return scalar;
      };
      if (!HadVaried(source->scalars, entry, value_of)) return;
      if (reason.guard_class == GuardClass::kFloat) {
        has_static_of_varied = true;
      } else {
        constants.insert(source->name);
      }
    }
  });
  if (is_first_symbolic && function.is_fresh_stretch) {
    own.policy.dynamic_sources = SymbolicDims(session, function, 0);
  } else if (is_first_symbolic && !is_first_static && !HasMarks(log_values, 0)) {
    own.policy.dynamic = DynamicOption::kTrue;
  } else if (has_static_of_varied && !is_anything_symbolic) {
    own.policy.dynamic = DynamicOption::kFalse;
  }
  if (own.policy.dynamic != DynamicOption::kFalse) {
    own.constants.assign(constants.begin(), constants.end());
  }
  return own;
}

}  // namespace shapewise
