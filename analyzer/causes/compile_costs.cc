#include "causes/compile_costs.h"

#include <algorithm>
#include <map>
#include <utility>

namespace shapewise {
namespace {

/// Limits a part to the duration of the whole that contains it.
std::optional<Micros> Within(std::optional<double> part, std::optional<Micros> whole) {
  const auto micros = ToMicros(part);
  return micros && whole ? std::min(micros, whole) : micros;
}

struct Share {
  uint64_t compilations = 0;
  Micros micros = 0;
  CompileShare Total() const { return {compilations, ToSeconds(micros)}; }
};

void CountCache(CacheOutcome outcome, CacheUse& use) {
  if (outcome == CacheOutcome::kHit) ++use.hits;
  if (outcome == CacheOutcome::kMiss) ++use.misses;
  if (outcome == CacheOutcome::kBypass) ++use.bypasses;
}

/// Seconds of each process: of a rank, or of an input if the rank is unknown.
class ProcessSeconds {
 public:
  void Add(const Compilation& compilation, Micros micros) {
    const bool has_rank = compilation.rank != kNoRank;
    const std::pair<int32_t, uint32_t> key(compilation.rank, has_rank ? 0 : compilation.input);
    const auto [found, is_new] = processes_.try_emplace(key, Process{compilation.input, 0});
    found->second.input = std::min(found->second.input, compilation.input);
    found->second.micros += micros;
  }

  void Describe(CompileCosts& costs) const {
    costs.processes = processes_.size();
    Micros slowest = -1;
    for (const auto& [key, process] : processes_) {
      if (process.micros <= slowest) continue;
      slowest = process.micros;
      costs.slowest_seconds = ToSeconds(slowest);
      costs.slowest_rank = key.first;
      costs.slowest_input = process.input;
    }
  }

 private:
  struct Process {
    uint32_t input;  // its first
    Micros micros;
  };
  std::map<std::pair<int32_t, uint32_t>, Process> processes_;  // by rank; without one by input
};

}  // namespace

void PhaseSum::Add(const Compilation& compilation, std::optional<Micros> whole) {
  const CompileSeconds& seconds = compilation.seconds;
  std::optional<Micros> backend = Within(seconds.backend, whole);
  // Dynamo does not take part in a backward graph, and an empty graph never reaches a backend.
  const bool is_backward = compilation.outcome == CompileOutcome::kBackward;
  if (is_backward && !backend) backend = whole;
  const bool is_empty = compilation.outcome == CompileOutcome::kEmptyGraph;
  if (is_empty && !backend) {
    AddMicros(dynamo_, whole);
    return;
  }
  if (whole && backend && !is_backward) AddMicros(dynamo_, *whole - *backend);
  const std::optional<Micros> inductor = Within(seconds.inductor, backend ? backend : whole);
  AddMicros(inductor_, inductor);
  if (backend) AddMicros(aot_, *backend - inductor.value_or(0));
  if (inductor) AddMicros(code_gen_, Within(seconds.code_gen, inductor));
}

PhaseSeconds PhaseSum::Total() const {
  return {.dynamo = SecondsOrNone(dynamo_),
          .aot = SecondsOrNone(aot_),
          .inductor = SecondsOrNone(inductor_),
          .code_gen = SecondsOrNone(code_gen_)};
}

std::optional<CompileCosts> SumCompileCosts(const Session& session, const CompileLedger& ledger) {
  if (ledger.entries().empty()) return std::nullopt;
  CompileCosts costs;
  std::map<CompileAccount, Share> shares;  // backward graphs count with their forward
  Share backward;
  Micros all = 0;
  Micros retrace = 0;
  std::optional<Micros> run_time;
  std::optional<Micros> saved;
  PhaseSum phases;
  ProcessSeconds processes;
  for (size_t index = 0; index < ledger.entries().size(); ++index) {
    const LedgerEntry& entry = ledger.entries()[index];
    const Compilation& compilation = session.compilations()[index];
    const Micros whole = entry.whole.value_or(0);
    all += whole;
    retrace += entry.retrace.value_or(0);
    processes.Add(compilation, whole);
    phases.Add(compilation, entry.whole);
    CountCache(compilation.cache, costs.cache);
    AddMicros(run_time, ToMicros(compilation.seconds.at_run_time));
    AddMicros(saved, ToMicros(compilation.seconds.cache_saved));
    if (!compilation.is_finished) ++costs.unfinished;

    Share& share = shares[ledger.entries()[entry.forward].account];
    share.micros += whole - entry.retrace.value_or(0);
    if (entry.is_backward) {
      ++backward.compilations;
      backward.micros += whole;
    } else if (compilation.is_finished) {
      ++share.compilations;
    }
  }
  costs.seconds = ToSeconds(all);
  // An unfinished compilation has no seconds of its own; its backward graph may have some.
  shares[CompileAccount::kFirst].micros += shares[CompileAccount::kUnfinished].micros;
  shares[CompileAccount::kFirst].compilations += shares[CompileAccount::kUnfinished].compilations;
  costs.first_compiles = shares[CompileAccount::kFirst].Total();
  costs.recompiles = shares[CompileAccount::kRecompile].Total();
  costs.failed = shares[CompileAccount::kFailed].Total();
  costs.empty_graphs = shares[CompileAccount::kEmpty].Total();
  costs.backward = backward.Total();
  costs.retrace_seconds = ToSeconds(retrace);
  costs.run_time_seconds = SecondsOrNone(run_time);
  costs.phases = phases.Total();
  costs.cache.seconds_saved = SecondsOrNone(saved);
  processes.Describe(costs);
  return costs;
}

}  // namespace shapewise
