#include "causes/compile_ledger.h"

#include <algorithm>
#include <cmath>

#include "model/compile_number.h"

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

CompileLedger::CompileLedger(const Session& session,
                             const std::vector<CodeObjectHistory>& histories) {
  AddEntries(session);
  AddPrinted(session);
  for (const CodeObjectHistory& history : histories) ReadHistory(session, history);
  Settle(session);
}

std::optional<Micros> CompileLedger::MicrosOf(size_t event) const {
  const auto found = of_event_.find(event);
  if (found == of_event_.end()) return std::nullopt;
  return found->second;
}

void CompileLedger::Give(size_t event, Micros micros) { of_event_[event] += micros; }

void CompileLedger::AddEntries(const Session& session) {
  entries_.reserve(session.compilations().size());
  for (const Compilation& compilation : session.compilations()) {
    const size_t index = entries_.size();
    LedgerEntry& entry = entries_.emplace_back();
    entry.forward = index;
    entry.is_backward = compilation.outcome == CompileOutcome::kBackward;
    entry.whole = WholeMicros(compilation.seconds);
    index_.emplace(&compilation, index);
    inputs_with_compilations_.insert(compilation.input);

    const auto number = ParseCompileNumber(session.text(compilation.compile_id));
    if (!compilation.is_finished) {
      entry.account = CompileAccount::kUnfinished;
    } else if (compilation.outcome == CompileOutcome::kFailed) {
      entry.account = CompileAccount::kFailed;
    } else if (number && number->compile > 0) {
      entry.account = CompileAccount::kRecompile;
    } else if (compilation.outcome == CompileOutcome::kEmptyGraph) {
      entry.account = CompileAccount::kEmpty;
    }
  }
}

void CompileLedger::AddPrinted(const Session& session) {
  for (const Event& event : session.events()) {
    const auto* const compile = session.detail(event).As<CompileFact>();
    if (compile == nullptr || inputs_with_compilations_.contains(event.input)) continue;
    AddMicros(printed_micros_, ToMicros(compile->seconds));
  }
}

/// Reads what claims the compilations of one code object, and gives the printed durations to their
/// recompiles.
void CompileLedger::ReadHistory(const Session& session, const CodeObjectHistory& history) {
  for (const auto& [number, attempt] : history.attempts) {
    if (attempt.compilation == nullptr) continue;
    const size_t forward = index_.at(attempt.compilation);
    for (const Compilation* backward : attempt.backward) {
      entries_[index_.at(backward)].forward = forward;
    }
  }
  for (const auto& [index, number] : history.events) {
    const Event& event = session.events()[index];
    const EventDetail& detail = session.detail(event);
    const bool is_failure = IsFailureKind(detail.kind());
    const bool is_break = detail.kind() == EventKind::kGraphBreak;
    const bool is_recompile = detail.kind() == EventKind::kRecompile;
    const auto attempt = history.attempts.find(number);
    if ((!is_failure && !is_break && !is_recompile) || attempt == history.attempts.end()) continue;
    const Compilation* const compilation = attempt->second.compilation;
    if (compilation == nullptr) {
      const auto micros = ToMicros(attempt->second.seconds);
      const bool is_printed = micros && !inputs_with_compilations_.contains(event.input);
      if (is_recompile && is_printed) Give(index, *micros);
      continue;
    }
    // Up to 2.7 the record of what ended a compilation may come after its metrics.
    const size_t entry = index_.at(compilation);
    const bool has_failed = entries_[entry].account == CompileAccount::kFailed;
    if (compilation->line < event.line && (is_recompile || !has_failed)) continue;
    Claims& claims = claims_[entry];
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

}  // namespace shapewise
