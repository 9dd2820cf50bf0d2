#include "causes/find_causes.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "causes/display_name.h"
#include "model/resume_name.h"

namespace shapewise {
namespace {

constexpr Micros kCostlyEmptyGraph = 1'000'000;

using FunctionKey = std::tuple<StrId, StrId, uint32_t>;  // function, file, first line

FunctionKey KeyOf(const Compilation& compilation) {
  return {compilation.function, compilation.file, compilation.function_line};
}

Cause CauseFor(CauseKind kind, const FunctionKey& key, const Session& session) {
  const auto& [function, file, line] = key;
  Cause cause;
  cause.kind = kind;
  cause.where = {std::string(session.text(function)), std::string(session.text(file)), line};
  cause.display_function = DisplayFunction(cause.where, Place{});
  return cause;
}

struct EmptyFunction {
  uint64_t count = 0;
  std::optional<Micros> micros;
  std::set<int32_t> ranks;
};

}  // namespace

std::vector<Cause> FoldEmptyGraphs(const Session& session, const CompileLedger& ledger) {
  std::map<FunctionKey, EmptyFunction> functions;
  for (size_t index = 0; index < ledger.entries().size(); ++index) {
    const LedgerEntry& entry = ledger.entries()[index];
    const Compilation& compilation = session.compilations()[index];
    if (entry.account != CompileAccount::kEmpty || entry.has_break || entry.has_owner) continue;
    if (compilation.function == StrId::kNone) continue;
    if (ParseResumeName(session.text(compilation.function))) continue;
    EmptyFunction& function = functions[KeyOf(compilation)];
    ++function.count;
    AddMicros(function.micros, entry.whole);
    if (compilation.rank != kNoRank) function.ranks.insert(compilation.rank);
  }
  std::vector<Cause> causes;
  for (const auto& [key, function] : functions) {
    Cause cause = CauseFor(CauseKind::kEmptyGraph, key, session);
    cause.count = function.count;
    if (function.micros) {
      cause.cost_seconds = ToSeconds(*function.micros);
      cause.is_costly = *function.micros >= kCostlyEmptyGraph;
    }
    cause.ranks.assign(function.ranks.begin(), function.ranks.end());
    causes.push_back(std::move(cause));
  }
  return causes;
}

}  // namespace shapewise
