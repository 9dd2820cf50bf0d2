#include "causes/compile_ledger.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace shapewise {
namespace {

constexpr double kMaxSeconds = 1e6;

bool IsFailureKind(EventKind kind) {
  return kind == EventKind::kCompileError || kind == EventKind::kSkippedFrame ||
         kind == EventKind::kConstraintViolation;
}

/// The duration of a compilation; if only parts are known, the longest of them.
std::optional<Micros> WholeMicros(const CompileSeconds& seconds) {
  if (const auto total = ToMicros(seconds.total)) return total;
  std::optional<Micros> longest;
  for (const std::optional<double>& part :
       {seconds.backend, seconds.inductor, seconds.code_gen, seconds.before_restart}) {
    const auto micros = ToMicros(part);
    if (micros) longest = std::max(longest.value_or(0), *micros);
  }
  return longest;
}

}  // namespace

std::optional<Micros> ToMicros(std::optional<double> seconds) {
  if (!seconds || !(*seconds >= 0)) return std::nullopt;
  return std::llround(std::min(*seconds, kMaxSeconds) * 1e6);
}

void AddMicros(std::optional<Micros>& sum, std::optional<Micros> more) {
  if (more) sum = sum.value_or(0) + *more;
}

CompileLedger::CompileLedger(const Session& session) {
  PairBackward(session);
  ReadClaims(session);
  Settle(session);
  AccountPrinted(session);
}

std::optional<Micros> CompileLedger::MicrosOf(size_t event) const {
  const auto found = of_event_.find(event);
  if (found == of_event_.end()) return std::nullopt;
  return found->second;
}

void CompileLedger::Give(size_t event, Micros micros) { of_event_[event] += micros; }

// Ids repeat after torch._dynamo.reset(): a backward graph belongs to the last earlier compilation
// with its id.
void CompileLedger::PairBackward(const Session& session) {
  entries_.reserve(session.compilations().size());
  for (const Compilation& compilation : session.compilations()) {
    const size_t index = entries_.size();
    LedgerEntry& entry = entries_.emplace_back();
    entry.forward = index;
    entry.is_backward = compilation.outcome == CompileOutcome::kBackward;
    entry.whole = WholeMicros(compilation.seconds);
    inputs_with_compilations_.insert(compilation.input);

    const auto number = ParseCompileNumber(session.text(compilation.compile_id));
    bool is_recompile = false;
    if (number) {
      std::vector<size_t>& same_id = forward_[{ProcessOf(compilation), *number}];
      if (!entry.is_backward) {
        same_id.push_back(index);
      } else if (!same_id.empty()) {
        entry.forward = same_id.back();
      }
      is_recompile = number->compile > 0;
    }
    if (!compilation.is_finished) {
      entry.account = CompileAccount::kUnfinished;
    } else if (compilation.outcome == CompileOutcome::kFailed) {
      entry.account = CompileAccount::kFailed;
    } else if (is_recompile) {
      entry.account = CompileAccount::kRecompile;
    } else if (compilation.outcome == CompileOutcome::kEmptyGraph) {
      entry.account = CompileAccount::kEmpty;
    }
  }
}

// An event belongs to the compilation with its id whose metrics come next.
void CompileLedger::ReadClaims(const Session& session) {
  for (size_t index = 0; index < session.events().size(); ++index) {
    const Event& event = session.events()[index];
    const EventDetail& detail = session.detail(event);
    const bool is_failure = IsFailureKind(detail.kind());
    const bool is_break = detail.kind() == EventKind::kGraphBreak;
    const bool is_recompile = detail.kind() == EventKind::kRecompile;
    if (!is_failure && !is_break && !is_recompile) continue;
    if (!inputs_with_compilations_.contains(event.input)) continue;
    const auto number = ParseCompileNumber(session.text(event.compile_id));
    if (!number) continue;
    const auto same_id = forward_.find({ProcessOf(event), *number});
    // A backward graph alone has an empty list here.
    if (same_id == forward_.end() || same_id->second.empty()) continue;
    const auto next = std::lower_bound(
        same_id->second.begin(), same_id->second.end(), event.line,
        [&](size_t entry, uint64_t line) { return session.compilations()[entry].line < line; });
    // Up to 2.7 the record of what ended a compilation may come after its metrics.
    const bool is_past_end = next == same_id->second.end();
    const size_t compilation = is_past_end ? same_id->second.back() : *next;
    const bool has_failed = entries_[compilation].account == CompileAccount::kFailed;
    if (is_past_end && (is_recompile || !has_failed)) continue;
    Claims& claims = claims_[compilation];
    if (is_break) claims.breaks.push_back(index);
    if (is_failure && !claims.failure) claims.failure = index;
    if (is_recompile && !claims.recompile) claims.recompile = index;
  }
}

void CompileLedger::Settle(const Session& session) {
  for (auto& [index, claims] : claims_) {
    LedgerEntry& entry = entries_[index];
    entry.has_break = !claims.breaks.empty();
    if (!entry.whole) continue;
    const Compilation& compilation = session.compilations()[index];
    Micros rest = *entry.whole;
    const auto in_vain = ToMicros(compilation.seconds.before_restart);
    if (entry.has_break && in_vain) {
      // Dynamo also restarts for other reasons; all restarts share one number.
      const auto breaks = static_cast<Micros>(claims.breaks.size());
      const Micros restarts = std::max<Micros>(breaks, compilation.restarts);
      const Micros part = std::min(*in_vain, rest) / restarts;
      for (const size_t event : claims.breaks) Give(event, part);
      entry.retrace = part * breaks;
      rest -= *entry.retrace;
    }
    std::optional<size_t> owner = claims.recompile;
    if (entry.account == CompileAccount::kFailed) {
      if (claims.failure) {
        owner = claims.failure;
      } else if (entry.has_break) {
        owner = claims.breaks.back();  // it ended the compilation
      }
    }
    entry.has_owner = owner.has_value();
    if (owner) Give(*owner, rest);
  }
  for (const LedgerEntry& entry : entries_) {
    if (!entry.is_backward || !entry.whole) continue;
    const auto claims = claims_.find(entry.forward);
    if (claims != claims_.end() && claims->second.recompile) {
      Give(*claims->second.recompile, *entry.whole);
    }
  }
}

void CompileLedger::AccountPrinted(const Session& session) {
  // The compiles in order, by process and number.
  std::map<CompileKey, std::vector<std::pair<size_t, Micros>>> printed;
  for (size_t index = 0; index < session.events().size(); ++index) {
    const Event& event = session.events()[index];
    const auto* const compile = session.detail(event).As<CompileFact>();
    if (compile == nullptr || inputs_with_compilations_.contains(event.input)) continue;
    const auto micros = ToMicros(compile->seconds);
    AddMicros(printed_micros_, micros);
    const auto number = ParseCompileNumber(session.text(event.compile_id));
    if (!number || !micros) continue;
    printed[{ProcessOf(event), *number}].emplace_back(index, *micros);
  }
  if (printed.empty()) return;
  std::set<size_t> given;
  for (size_t index = 0; index < session.events().size(); ++index) {
    const Event& event = session.events()[index];
    if (session.detail(event).kind() != EventKind::kRecompile) continue;
    const auto number = ParseCompileNumber(session.text(event.compile_id));
    if (!number) continue;
    const auto compiles = printed.find({ProcessOf(event), *number});
    if (compiles == printed.end()) continue;
    const auto next = std::lower_bound(compiles->second.begin(), compiles->second.end(),
                                       std::make_pair(index, Micros{0}));
    if (next == compiles->second.end() || !given.insert(next->first).second) continue;
    Give(index, next->second);
  }
}

}  // namespace shapewise
