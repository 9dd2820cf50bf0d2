// Combines the conditions of all paths to a fact.

#include <algorithm>
#include <limits>
#include <tuple>

#include "llvm/ADT/STLExtras.h"
#include "source/flow_engine.h"

namespace shapewise {
namespace {

constexpr uint16_t kAllConditions = std::numeric_limits<uint16_t>::max();

/// Identifies a fact by its place: facts of one place and kind are merged.
using FactPlace = std::tuple<FileId, FunctionId, uint32_t, uint32_t, FactKind, FactUse>;

FactPlace PlaceOf(const Fact& fact) {
  const ByteSpan span = fact.is_detached            ? fact.span
                        : fact.expr != nullptr      ? fact.expr->span
                        : fact.statement != nullptr ? fact.statement->span
                                                    : ByteSpan{};
  return {fact.file, fact.function, span.begin, span.end, fact.kind, fact.use};
}

bool AreAlike(const Value& a, const Value& b) { return a.kind == b.kind && a.traits == b.traits; }

/// Whether rules see the same in both: a call with other kinds of arguments is another fact, with
/// conditions of its own.
bool AreAlike(const Fact& a, const Fact& b) {
  const auto are_alike = [](const Value& x, const Value& y) { return AreAlike(x, y); };
  return a.name == b.name && a.keywords == b.keywords && AreAlike(a.subject, b.subject) &&
         AreAlike(a.result, b.result) &&
         std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
                    are_alike);
}

/// Merges `fact` into the known one of its place.
void MergeInto(Fact& known, const Fact& fact) {
  known.conditions &= fact.conditions;
  known.in_full_graph &= fact.in_full_graph;
  known.caller = std::min(known.caller, fact.caller);
  known.runs_modules |= fact.runs_modules;
  if (std::tie(fact.certainty, known.name) > std::tie(known.certainty, fact.name)) {
    Fact merged = fact;
    merged.conditions = known.conditions;
    merged.caller = known.caller;
    merged.runs_modules = known.runs_modules;
    merged.in_full_graph = known.in_full_graph;
    known = std::move(merged);
  }
}

/// References point into tables of one analysis, which are not available outside of it.
void ForgetReference(Value& value) { value.ref = 0; }

template <typename T>
void SortUnique(std::vector<T>& list) {
  llvm::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

FlowResult MergeResults(std::vector<FlowResult> results) {
  FlowResult merged;
  std::vector<std::pair<FactPlace, Fact*>> facts;
  for (FlowResult& result : results) {
    llvm::append_range(merged.texts, result.texts);
    llvm::append_range(merged.reached, result.reached);
    llvm::append_range(merged.compiled, result.compiled);
    llvm::append_range(merged.lambdas, result.lambdas);
    llvm::append_range(merged.given_up, result.given_up);
    for (Fact& fact : result.facts) facts.emplace_back(PlaceOf(fact), &fact);
  }
  llvm::stable_sort(facts, llvm::less_first());
  size_t num_places = 0;
  for (size_t i = 0; i < facts.size(); ++i) {
    num_places += i == 0 || facts[i].first != facts[i - 1].first ? 1 : 0;
  }
  merged.facts.reserve(num_places);
  size_t first_here = 0;
  for (size_t i = 0; i < facts.size(); ++i) {
    if (i == 0 || facts[i].first != facts[i - 1].first) first_here = merged.facts.size();
    const auto known =
        std::find_if(merged.facts.begin() + static_cast<ptrdiff_t>(first_here), merged.facts.end(),
                     [&](const Fact& fact) { return AreAlike(fact, *facts[i].second); });
    if (known != merged.facts.end()) {
      MergeInto(*known, *facts[i].second);
    } else {
      merged.facts.push_back(std::move(*facts[i].second));
    }
  }
  SortUnique(merged.reached);
  SortUnique(merged.compiled);
  SortUnique(merged.lambdas);
  SortUnique(merged.given_up);
  return merged;
}

std::vector<bool> FlowEngine::ReachedWithBreaks() const {
  std::vector<bool> is_reached(contexts_.size());
  // Roots that are surely compiled go first: they lead through any function.
  for (const bool is_compiled : {true, false}) {
    std::vector<uint32_t> todo;
    for (const Root& root : roots_) {
      if (!root.is_whole && root.is_compiled == is_compiled) todo.push_back(root.context);
    }
    while (!todo.empty()) {
      const uint32_t at = todo.back();
      todo.pop_back();
      if (is_reached[at]) continue;
      is_reached[at] = true;
      for (const CallEdge& call : contexts_[at].calls) {
        const bool is_whole = whole_functions_.contains(contexts_[call.to].function);
        if (call.has_facts && (is_compiled || !is_whole)) todo.push_back(call.to);
      }
    }
  }
  return is_reached;
}

FlowResult FlowEngine::Take() {
  const std::vector<bool> may_break = ReachedWithBreaks();
  // The conditions at the start of each context on every path to it.
  std::vector<uint16_t> entry(contexts_.size(), kAllConditions);
  std::vector<bool> is_reached(contexts_.size());
  std::vector<FunctionId> callers(contexts_.size(), kNoId);
  std::vector<uint32_t> todo;
  for (const Root& root : roots_) {
    entry[root.context] = 0;
    is_reached[root.context] = true;
    todo.push_back(root.context);
  }
  while (!todo.empty()) {
    const uint32_t from = todo.back();
    todo.pop_back();
    for (const CallEdge& call : contexts_[from].calls) {
      if (!call.has_facts) continue;
      const auto conditions =
          static_cast<uint16_t>(entry[call.to] & (entry[from] | call.conditions));
      // A caller that allows no break does not lead to one, and a recursive call is no other
      // caller.
      const FunctionId function = contexts_[from].function;
      const bool is_other = function != contexts_[call.to].function;
      const bool leads = is_other && (may_break[from] || !may_break[call.to]);
      const FunctionId caller = std::min(callers[call.to], leads ? function : kNoId);
      const bool is_news = !is_reached[call.to] || conditions != entry[call.to];
      callers[call.to] = caller;
      if (!is_news) continue;
      entry[call.to] = conditions;
      is_reached[call.to] = true;
      todo.push_back(call.to);
    }
  }

  // Callees mostly have higher numbers, so that few rounds are needed.
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (FlowContext& context : llvm::reverse(contexts_)) {
      if (context.runs_modules || llvm::none_of(context.calls, [&](const CallEdge& call) {
            return contexts_[call.to].runs_modules;
          })) {
        continue;
      }
      context.runs_modules = true;
      has_changed = true;
    }
  }

  // Facts are copied, so free what they do not need before.
  callees_.clear();
  scopes_.clear();
  attributes_.clear();

  FlowResult result;
  result.texts.push_back(values_.names());
  result.given_up.assign(given_up_.begin(), given_up_.end());
  result.lambdas = std::move(lambdas_);
  size_t num_facts = 0;
  for (size_t i = 0; i < contexts_.size(); ++i) {
    if (is_reached[i]) num_facts += contexts_[i].facts.size();
  }
  result.facts.reserve(num_facts);
  for (size_t i = 0; i < contexts_.size(); ++i) {
    if (!is_reached[i]) continue;
    FlowContext& context = contexts_[i];
    if (context.function != kNoId) result.reached.push_back(context.function);
    for (Fact& fact : context.facts) {
      fact.conditions |= entry[i];
      fact.in_full_graph = !may_break[i];
      fact.runs_modules = context.runs_modules;
      fact.caller = callers[i];
      ForgetReference(fact.subject);
      ForgetReference(fact.result);
      for (Value& argument : fact.arguments) ForgetReference(argument);
      result.facts.push_back(std::move(fact));
    }
    context.facts = {};
  }
  return result;
}

}  // namespace shapewise
