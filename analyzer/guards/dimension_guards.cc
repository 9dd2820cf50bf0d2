#include "guards/dimension_guards.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "guards/compare_entries.h"
#include "guards/guarded_entry.h"
#include "guards/judge_sizes.h"
#include "guards/read_entries.h"
#include "guards/size_names.h"
#include "model/source_ref.h"
#include "result/advice.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// A function that is compiled for more combinations of sizes than this is judged by the first ones.
constexpr size_t kMaxCalls = 4096;
// Each call is tested against the guards of each entry; beyond this many tests, fewer calls are
// tested.
constexpr size_t kMaxTests = 1U << 17U;
constexpr size_t kMinTestedCalls = 64;
constexpr size_t kMaxTestedValues = 64;
// A query about a symbol reads all guards of its group; at most this many are read for one
// function.
constexpr size_t kMaxGuardsRead = 1U << 14U;

/// Judges one function.
class FunctionJudge {
 public:
  FunctionJudge(const GuardedFunction& function, const GuardQuery& query, ExprPool& pool)
      : function_(function), query_(query), pool_(pool) {
    for (size_t i = 0; i < function.entries.size(); ++i) {
      const GuardedEntry& entry = function.entries[i];
      groups_.emplace_back(entry, pool);
      for (const auto& [symbol, value] : entry.sample) entries_of_[symbol].samples.push_back(i);
      std::set<ExprId> named = entry.symbolic;
      for (const auto& [symbol, constant] : entry.constants) named.insert(symbol);
      for (const ExprId symbol : named) entries_of_[symbol].guards.push_back(i);
      for (const auto& [key, dims] : entry.marks) {
        if (key.second != "static_indices") marks_[key.first].insert(dims.begin(), dims.end());
      }
    }
    for (const auto& [symbol, value] : function.further_values) {
      entries_of_[symbol].further_values.push_back(value);
    }
  }

  FunctionGuards Judge() {
    result_.where = function_.where;
    if (function_.rank >= 0) result_.ranks = {function_.rank};
    result_.hit_limit = function_.hit_limit;
    for (const GuardedEntry& entry : function_.entries) ReportEntry(entry);
    CompareEntries(function_, pool_, query_.solver_steps, result_.entries);
    NameVariables();
    for (const ExprId symbol : variables_) JudgeVariable(symbol);
    JoinMarks();
    SortVariables();
    FindNeeds();
    FindGaps();
    return std::move(result_);
  }

 private:
  std::string Name(ExprId symbol) const { return std::string(pool_.name(symbol)); }

  void ReportEntry(const GuardedEntry& entry) {
    GuardedEntryReport report;
    report.id = entry.id;
    report.input = entry.input;
    report.line = entry.line;
    report.is_whole = entry.IsWhole();
    report.why_not = report.is_whole ? std::string() : entry.why_not;
    for (const auto& [symbol, value] : entry.sample) {
      if (ParseSizeName(Name(symbol)).kind == GuardedKind::kStride) continue;
      report.compiled_for.emplace_back(Name(symbol), value);
    }
    std::ranges::sort(report.compiled_for);
    result_.entries.push_back(std::move(report));
  }

  /// Sizes, ints and lengths that some entry guards, ordered by name.
  void NameVariables() {
    std::map<std::string, ExprId> named;
    const auto add = [&](ExprId symbol) {
      const GuardedKind kind = ParseSizeName(Name(symbol)).kind;
      const bool is_reported =
          kind == GuardedKind::kSize || kind == GuardedKind::kInt || kind == GuardedKind::kLength;
      if (is_reported || (kind == GuardedKind::kStride && StrideVaries(symbol))) {
        named.emplace(Name(symbol), symbol);
      }
    };
    for (const GuardedEntry& entry : function_.entries) {
      for (const auto& [symbol, constant] : entry.constants) add(symbol);
      for (const ExprId symbol : entry.symbolic) add(symbol);
    }
    for (const auto& [name, symbol] : named) variables_.push_back(symbol);
  }

  bool StrideVaries(ExprId symbol) const {
    std::set<int64_t> values;
    for (const size_t i : entries_of_.at(symbol).guards) {
      const auto& constants = function_.entries[i].constants;
      const auto constant = constants.find(symbol);
      if (constant != constants.end()) values.insert(constant->second.value);
    }
    return values.size() > 1;
  }

  void JudgeVariable(ExprId symbol) {
    GuardedVariable variable;
    variable.name = Name(symbol);
    const SizeName name = ParseSizeName(variable.name);
    variable.kind = name.kind;
    variable.dim = name.dim;
    variable.source = DynamoSource(name.source);
    TakeValues(symbol, variable);
    variable.is_marked = IsMarked(name);
    // Lengths are constants under any setting.
    if (name.kind != GuardedKind::kLength) variable.automatic_frees = AutomaticFrees(symbol);
    for (const size_t i : entries_of_.at(symbol).guards) {
      variable.by_entry.emplace_back(i, JudgeIn(i, symbol));
    }
    TakeFreest(variable);
    variable.advice = AdviseOn(variable);
    result_.variables.push_back(std::move(variable));
  }

  EntryVerdict JudgeIn(size_t index, ExprId symbol) {
    const GuardedEntry& entry = function_.entries[index];
    if (!entry.constants.contains(symbol)) guards_read_ += groups_[index].CountGuards(symbol);
    if (guards_read_ > kMaxGuardsRead) {
      EntryVerdict verdict;
      verdict.why_unknown = "its guards are beyond what the solver decides";
      return verdict;
    }
    return JudgeSize(entry, groups_[index], symbol, pool_, query_.solver_steps);
  }

  void TakeValues(ExprId symbol, GuardedVariable& variable) const {
    std::set<int64_t> seen;
    const auto take = [&](int64_t value) {
      if (seen.insert(value).second && variable.values.size() < kMaxTestedValues) {
        variable.values.push_back(value);
      }
    };
    for (const size_t i : entries_of_.at(symbol).samples) {
      take(function_.entries[i].sample.at(symbol));
    }
    for (const int64_t value : entries_of_.at(symbol).further_values) take(value);
    variable.varies = seen.size() > 1;
  }

  bool IsMarked(const SizeName& name) const {
    const auto marked = marks_.find(name.source);
    return name.kind == GuardedKind::kSize && marked != marks_.end() &&
           marked->second.contains(name.dim);
  }

  /// Whether the size became a symbol in the first compile after a second value was seen.
  std::optional<bool> AutomaticFrees(ExprId symbol) const {
    std::set<int64_t> seen;
    for (const size_t i : entries_of_.at(symbol).samples) {
      const GuardedEntry& entry = function_.entries[i];
      const auto sample = entry.sample.find(symbol);
      const bool is_new = !seen.empty() && !seen.contains(sample->second);
      seen.insert(sample->second);
      if (!is_new) continue;
      if (entry.symbolic.contains(symbol) || entry.specializations.contains(symbol)) return true;
      // 0 and 1 never become symbols.
      const bool is_special = DomainOf(Name(symbol)).lower == 0 && sample->second < 2;
      if (entry.constants.contains(symbol) && entry.is_printed && !is_special) return false;
    }
    return std::nullopt;
  }

  void TakeFreest(GuardedVariable& variable) const {
    if (variable.by_entry.empty()) return;
    size_t best = 0;
    std::set<int64_t> pinned_to;
    for (size_t i = 0; i < variable.by_entry.size(); ++i) {
      const EntryVerdict& verdict = variable.by_entry[i].second;
      if (verdict.verdict == SizeVerdict::kPinned) pinned_to.insert(*verdict.value);
      // Ties go to the newest.
      if (verdict.verdict <= variable.by_entry[best].second.verdict) best = i;
    }
    variable.verdict = variable.by_entry[best].second;
    variable.entry = variable.by_entry[best].first;
    if (variable.verdict.verdict != SizeVerdict::kPinned) return;
    // An entry with incomplete guards may leave it free. Two that pin it are enough: a size that
    // changes becomes a symbol at the second compile.
    const GuardedEntry& newest = function_.entries.back();
    const bool is_silent = !newest.is_printed && !newest.constants.contains(FindSymbol(variable));
    if (!is_silent || pinned_to.size() > 1) return;
    variable.verdict = EntryVerdict{};
    variable.verdict.why_unknown = newest.why_not;
    variable.entry = function_.entries.size() - 1;
  }

  ExprId FindSymbol(const GuardedVariable& variable) const { return pool_.Symbol(variable.name); }

  /// A mark on one of several sizes that vary together raises an error: marks them all.
  void JoinMarks() {
    for (size_t i = 0; i < variables_.size(); ++i) {
      GuardedVariable& variable = result_.variables[i];
      const auto mark = std::ranges::find(variable.advice, "mark_dynamic", &Action::kind);
      if (mark == variable.advice.end()) continue;
      std::vector<std::string> codes;
      for (size_t other = 0; other < variables_.size(); ++other) {
        if (other != i && !AreTied(i, other)) continue;
        std::string code = MarkDynamicCode(result_.variables[other]);
        if (!code.empty()) codes.push_back(std::move(code));
      }
      if (codes.size() < 2) continue;
      mark->text = "mark the dims, which vary together, before the call, or drop dynamic=False";
      mark->code = Joined(codes, "\n");
    }
  }

  /// Whether two sizes vary and are equal in every compile that shows both.
  bool AreTied(size_t a, size_t b) const {
    for (const size_t i : {a, b}) {
      if (result_.variables[i].kind != GuardedKind::kSize || !result_.variables[i].varies) {
        return false;
      }
    }
    const std::vector<size_t>& samples = entries_of_.at(variables_[a]).samples;
    bool is_shown = false;
    for (const size_t i : samples) {
      const auto& sample = function_.entries[i].sample;
      const auto other = sample.find(variables_[b]);
      if (other == sample.end()) continue;
      if (other->second != sample.at(variables_[a])) return false;
      is_shown = true;
    }
    return is_shown;
  }

  void SortVariables() {
    const auto badness = [](const GuardedVariable& variable) {
      if (variable.IsCulprit()) return 0;
      const bool is_pinned = variable.verdict.verdict == SizeVerdict::kPinned;
      if (is_pinned) return 7;  // It never had another value.
      if (!variable.varies && !variable.is_marked) return 6;
      switch (variable.verdict.verdict) {
        case SizeVerdict::kRestricted:
          return 1;
        case SizeVerdict::kBounded:
          return 2;
        case SizeVerdict::kDivisible:
          return 3;
        case SizeVerdict::kUnknown:
          return 4;
        default:
          return 5;
      }
    };
    std::ranges::stable_sort(result_.variables,
                             [&](const auto& a, const auto& b) { return badness(a) < badness(b); });
  }

  /// The calls to count graphs for: those of the query, or those that were compiled.
  std::vector<SizedCall> Calls() const {
    std::vector<SizedCall> calls;
    if (!query_.sizes.empty()) {
      calls.emplace_back();
      for (const SizeChoice& choice : query_.sizes) {
        const ExprId symbol = pool_.Symbol(choice.name);
        if (std::ranges::find(variables_, symbol) == variables_.end()) return {};
        std::vector<SizedCall> longer;
        for (const SizedCall& call : calls) {
          for (const int64_t value : choice.values) {
            if (longer.size() >= kMaxCalls) break;
            longer.push_back(call);
            longer.back().emplace_back(symbol, value);
          }
        }
        calls = std::move(longer);
      }
      return calls;
    }
    for (const GuardedEntry& entry : function_.entries) {
      if (entry.sample.empty()) continue;
      SizedCall call;
      for (const auto& [symbol, value] : entry.sample) {
        if (ParseSizeName(Name(symbol)).kind == GuardedKind::kStride) continue;
        call.emplace_back(symbol, value);
      }
      if (calls.size() < kMaxCalls) calls.push_back(std::move(call));
    }
    std::ranges::sort(calls);
    calls.erase(std::ranges::unique(calls).begin(), calls.end());
    return calls;
  }

  /// How many calls can be tested against all guards of all entries.
  size_t MaxTestedCalls() const {
    size_t guards = 1;
    for (const GuardedEntry& entry : function_.entries) guards += entry.guards.size() + 1;
    return std::max(kMinTestedCalls, kMaxTests / guards);
  }

  void FindNeeds() {
    std::vector<SizedCall> calls = Calls();
    if (calls.empty()) return;
    if (const size_t tested = MaxTestedCalls(); calls.size() > tested) {
      result_.gaps.push_back("graphs are counted for the first " + std::to_string(tested) + " of " +
                             std::to_string(calls.size()) + " combinations of sizes");
      calls.resize(tested);
    }
    result_.need = FindNeed(function_, calls, pool_, query_.solver_steps);
    result_.need->is_of_run = query_.sizes.empty();
    if (result_.need->is_of_run && function_.hit_limit) {
      // Calls that the limit refused would have needed more entries; how many is unknown.
      result_.need->limit_at_least =
          std::max(result_.need->limit_at_least, result_.need->entries + 1);
      result_.need->limit_at_most.reset();
    }
  }

  void FindGaps() {
    const auto partial = std::ranges::count(result_.entries, false, &GuardedEntryReport::is_whole);
    if (partial > 0) {
      const auto first = std::ranges::find(result_.entries, false, &GuardedEntryReport::is_whole);
      result_.gaps.push_back(std::to_string(partial) + " of " +
                             std::to_string(result_.entries.size()) +
                             " entries are known in part: " + first->why_not);
    }
    if (!query_.sizes.empty() && !result_.need) {
      result_.gaps.push_back("--sizes names something that no guard of this function speaks of");
    }
  }

  const GuardedFunction& function_;
  const GuardQuery& query_;
  ExprPool& pool_;
  /// Which entries contain a symbol: its value, and a guard on it. Ascending.
  struct Mentions {
    std::vector<size_t> samples;
    std::vector<size_t> guards;
    std::vector<int64_t> further_values;
  };

  std::vector<EntryGroups> groups_;  ///< by entry
  std::map<ExprId, Mentions> entries_of_;
  std::map<std::string, std::set<int64_t>> marks_;  ///< dims of a source that are marked dynamic
  size_t guards_read_ = 0;
  std::vector<ExprId> variables_;
  FunctionGuards result_;
};

size_t NumCulprits(const FunctionGuards& function) {
  return static_cast<size_t>(std::ranges::count_if(
      function.variables, [](const GuardedVariable& variable) { return variable.IsCulprit(); }));
}

/// A process has one such variable: each assignment names the sources of all functions.
void JoinSources(std::vector<FunctionGuards>& functions) {
  std::set<std::string> sources;
  std::vector<Action*> actions;
  for (FunctionGuards& function : functions) {
    for (GuardedVariable& variable : function.variables) {
      for (Action& action : variable.advice) {
        if (action.kind != "dynamic_sources") continue;
        sources.insert(variable.source);
        actions.push_back(&action);
      }
    }
  }
  if (sources.size() < 2) return;
  for (Action* action : actions) {
    action->text =
        "set the environment variable to the sources, which are symbols from the first compile on "
        "then";
    action->code = DynamicSourcesCode(Joined(sources, ","));
  }
}

/// Ranks of one job run the same code: report functions with equal results once.
void JoinRanks(std::vector<FunctionGuards>& functions) {
  const auto key = [](const FunctionGuards& function) {
    std::string text;
    for (const GuardedVariable& variable : function.variables) {
      text += variable.name + '\n' + std::to_string(static_cast<int>(variable.verdict.verdict));
      for (const int64_t value : variable.values) text += ',' + std::to_string(value);
      text += '\n';
    }
    return std::make_tuple(function.where.function, function.where.file, function.where.line,
                           function.entries.size(), function.hit_limit, text);
  };
  std::map<decltype(key(functions[0])), size_t> first;
  std::vector<FunctionGuards> joined;
  for (FunctionGuards& function : functions) {
    const auto [found, is_new] = first.try_emplace(key(function), joined.size());
    if (is_new || function.ranks.empty() || joined[found->second].ranks.empty()) {
      joined.push_back(std::move(function));
    } else {
      joined[found->second].ranks.push_back(function.ranks[0]);
    }
  }
  for (FunctionGuards& function : joined) {
    std::ranges::sort(function.ranks);
    function.ranks.erase(std::ranges::unique(function.ranks).begin(), function.ranks.end());
  }
  functions = std::move(joined);
}

void SortFunctions(std::vector<FunctionGuards>& functions) {
  std::ranges::stable_sort(functions, [](const FunctionGuards& a, const FunctionGuards& b) {
    const auto key = [](const FunctionGuards& function) {
      return std::make_tuple(NumCulprits(function) == 0, !function.hit_limit,
                             -static_cast<int64_t>(function.entries.size()), function.where.file,
                             function.where.line, function.where.function);
    };
    return key(a) < key(b);
  });
}

constexpr size_t kMaxValues = 4096;

Error Malformed(std::string_view text, const std::string& what) {
  return MakeError("expected sizes such as \"x.size()[0]=1,2,5-9\" but got '" + std::string(text) +
                   "': " + what);
}

std::optional<int64_t> TakeInt(std::string_view& text) {
  const bool is_negative = ConsumeFront(text, "-");
  const auto number = ConsumeUint<int64_t>(text);
  if (!number) return std::nullopt;
  return is_negative ? -*number : *number;
}

}  // namespace

std::vector<FunctionGuards> AnalyzeGuards(const Session& session, const GuardQuery& query) {
  ExprPool pool;
  std::vector<FunctionGuards> functions;
  for (const GuardedFunction& function : ReadFunctions(session, query.function, pool)) {
    functions.push_back(FunctionJudge(function, query, pool).Judge());
  }
  if (!functions.empty()) JoinRanks(functions);
  JoinSources(functions);
  SortFunctions(functions);
  return functions;
}

std::vector<FunctionGuards> AnalyzeGraphGuards(const GraphSet& graphs, const GuardQuery& query) {
  std::vector<FunctionGuards> functions;
  for (const GraphModel& graph : graphs.graphs) {
    if (graph.symbols.empty()) continue;
    if (!query.function.empty() && graph.name != query.function) continue;
    ExprPool pool;
    const GuardedFunction function = ReadGraphEntry(graph, graphs, pool);
    functions.push_back(FunctionJudge(function, query, pool).Judge());
  }
  JoinSources(functions);
  SortFunctions(functions);
  return functions;
}

Expected<SizeChoice> ParseSizeChoice(std::string_view text) {
  const size_t equals = text.rfind('=');
  SizeChoice choice;
  choice.name = WithoutFrame(Trim(text.substr(0, equals)));
  if (equals == std::string_view::npos) return Malformed(text, "there is no '='");
  if (choice.name.empty()) return Malformed(text, "there is no name before the '='");
  std::string_view rest = text.substr(equals + 1);
  while (true) {
    rest = TrimLeft(rest);
    const auto first = TakeInt(rest);
    if (!first) return Malformed(text, "not a number: '" + std::string(rest) + "'");
    auto last = first;
    if (ConsumeFront(rest, "-")) last = TakeInt(rest);
    if (!last || *last < *first) return Malformed(text, "a range runs from low to high");
    if (static_cast<uint64_t>(*last) - static_cast<uint64_t>(*first) >= kMaxValues ||
        choice.values.size() >= kMaxValues) {
      return Malformed(text, "more than " + std::to_string(kMaxValues) + " values");
    }
    for (int64_t value = *first;; ++value) {
      choice.values.push_back(value);
      if (value == *last) break;
    }
    rest = TrimLeft(rest);
    if (rest.empty()) break;
    if (!ConsumeFront(rest, ","))
      return Malformed(text, "not a comma: '" + std::string(rest) + "'");
  }
  std::ranges::sort(choice.values);
  choice.values.erase(std::ranges::unique(choice.values).begin(), choice.values.end());
  return choice;
}

}  // namespace shapewise
