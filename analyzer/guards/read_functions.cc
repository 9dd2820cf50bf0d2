// The histories of a run -> functions with their cache entries; a captured graph -> one entry.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "guards/read_entries.h"
#include "guards/size_names.h"
#include "history/code_object_history.h"
#include "model/compile_number.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kOnlyFailed = "only guards of it that failed are printed";

/// Whether the compilation made guarded code, or may have: a frame that breaks at once has guarded
/// code without a graph.
bool MayHaveCode(const Compilation& compilation) {
  return compilation.outcome == CompileOutcome::kGraph ||
         ((compilation.outcome == CompileOutcome::kUnknown ||
           compilation.outcome == CompileOutcome::kEmptyGraph) &&
          compilation.guard_texts.is_printed);
}

/// Reads the entries of one code object.
class FunctionReader {
 public:
  FunctionReader(const Session& session, const CodeObjectHistory& history, ExprPool& pool)
      : session_(session), history_(history), pool_(pool) {}

  GuardedFunction Read() {
    function_.rank = history_.rank;
    function_.hit_limit = history_.HitLimit();
    NameFunction();
    for (const auto& [number, attempt] : history_.attempts) TakeAttempt(number, attempt);
    for (const HistoryEvent event : history_.events) {
      const EventDetail& detail = session_.detail(session_.events()[event.index]);
      const bool is_limit = detail.kind() == EventKind::kRecompileLimit;
      if (is_limit || detail.kind() == EventKind::kRecompile) TakeMiss(event, detail);
    }
    for (auto& [number, entry] : entries_) function_.entries.push_back(std::move(entry));
    return std::move(function_);
  }

 private:
  std::string Text(StrId id) const { return std::string(session_.text(id)); }

  /// Where a log does not name the function, the place that its guards come from does.
  void NameFunction() {
    Place& where = function_.where;
    where = {Text(history_.function), Text(history_.file), history_.function_line};
    for (const auto& [number, attempt] : history_.attempts) {
      if (!where.function.empty() || attempt.guards == nullptr) continue;
      where = {Text(attempt.guards->user_function), Text(attempt.guards->user_file), 0};
    }
  }

  void TakeAttempt(uint32_t number, const CompileAttempt& attempt) {
    const bool is_traced = attempt.compilation != nullptr && MayHaveCode(*attempt.compilation);
    if (is_traced) {
      const Compilation& compilation = *attempt.compilation;
      TakeCompiled(number, compilation,
                   {&compilation.guard_texts, &compilation.symbols, &compilation.shapes});
    } else if (attempt.guards != nullptr &&
               (attempt.guards->guard_texts.is_printed || !attempt.guards->symbols.empty())) {
      TakeCompiled(number, *attempt.guards,
                   {&attempt.guards->guard_texts, &attempt.guards->symbols, nullptr});
    } else if (attempt.miss != nullptr && attempt.LeftEntry()) {
      EntryOf(number, *attempt.miss, attempt.miss->compile_id);
    }
  }

  template <typename Compiled>
  void TakeCompiled(uint32_t number, const Compiled& compiled, const EntryMaterial& material) {
    GuardedEntry& entry = entries_[number];
    entry.id = WithoutAttempt(session_.text(compiled.compile_id));
    entry.number = number;
    entry.input = compiled.input;
    entry.line = compiled.line;
    ReadEntry(material, session_, function_.where.file, pool_, entry);
  }

  GuardedEntry& EntryOf(uint32_t number, const Event& event, StrId id) {
    const auto [found, is_new] = entries_.try_emplace(number);
    GuardedEntry& entry = found->second;
    if (!is_new) return entry;
    entry.id = WithoutAttempt(session_.text(id));
    if (entry.id.empty()) entry.id = FrameText(history_.frame) + "/" + std::to_string(number);
    entry.number = number;
    entry.input = event.input;
    entry.line = event.line;
    entry.why_not = kOnlyFailed;
    return entry;
  }

  void TakeMiss(const HistoryEvent& of_history, const EventDetail& detail) {
    const Event& event = session_.events()[of_history.index];
    const auto entries = history_.EntriesOf(session_, detail, of_history.number);
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i]) continue;
      TakeReason(session_.reason(detail.reasons()[i]), event, of_history.number, *entries[i]);
    }
  }

  /// A guard of an older entry that failed, and the value that came instead.
  void TakeReason(const Reason& reason, const Event& event, uint32_t number, uint32_t failed) {
    const bool is_other =
        reason.guard_class == GuardClass::kBackend || reason.guard_class == GuardClass::kEmpty;
    if (!is_other) function_.asked.emplace(number, failed);
    const std::optional<std::string> name = NameOf(reason);
    GuardedEntry& entry = EntryOf(failed, event, reason.entry);
    if (!entry.is_printed) AddFailed(reason, name, entry);
    if (!name) return;
    const auto value = ParseNumber(session_.text(reason.actual));
    if (!value) return;
    const ExprId symbol = pool_.Symbol(*name);
    // A call for which nothing was compiled has values, but no entry.
    const auto own = entries_.find(number);
    if (own == entries_.end()) {
      function_.further_values.emplace_back(symbol, *value);
    } else {
      own->second.sample.try_emplace(symbol, *value);
    }
  }

  /// The size or int that a reason is about.
  std::optional<std::string> NameOf(const Reason& reason) const {
    std::string source = WithoutFrame(session_.text(reason.source));
    const auto dim = static_cast<size_t>(std::max(reason.dim, 0));
    switch (reason.guard_class) {
      case GuardClass::kSize:
        return NameOfSize(source, dim);
      case GuardClass::kStride:
        return NameOfStride(source, dim);
      case GuardClass::kNdim:
        return NameOfNumDims(source);
      case GuardClass::kInt:
        return source;
      case GuardClass::kLength:
        return NameOfLength(source);
      default:
        return std::nullopt;
    }
  }

  void AddFailed(const Reason& reason, const std::optional<std::string>& name,
                 GuardedEntry& entry) {
    ShapeGuard guard;
    guard.user_file = reason.user_file;
    guard.user_line = reason.user_line;
    guard.user_function = reason.user_function;
    guard.code = reason.code;
    if (name) {
      AddFailedConstant(guard, *name, session_.text(reason.expected), entry);
    } else if (reason.guard_class == GuardClass::kSymbolic ||
               reason.guard_class == GuardClass::kZeroOne) {
      guard.kind = ShapeGuard::Kind::kRelation;
      guard.text = reason.guard;
      GuardTexts texts;
      texts.shape.push_back(guard);
      const std::vector<SymbolFact> no_symbols;
      ReadEntry({&texts, &no_symbols, nullptr}, session_, {}, pool_, entry);
      entry.why_not = kOnlyFailed;
    }
  }

  void AddFailedConstant(const ShapeGuard& guard, const std::string& name,
                         std::string_view expected, GuardedEntry& entry) {
    const auto value = ParseNumber(expected);
    if (!value) return;
    const ExprId symbol = pool_.Symbol(name);
    if (entry.constants.contains(symbol)) return;
    EntryGuard constant;
    constant.predicate = pool_.Binary(ExprKind::kEqual, symbol, pool_.Integer(*value));
    constant.line = {name + " == " + std::to_string(*value),
                     {Text(guard.user_function), Text(guard.user_file), guard.user_line},
                     Text(guard.code)};
    entry.constants.emplace(symbol, EntryConstant{entry.guards.size(), *value});
    entry.guards.push_back(std::move(constant));
    entry.sample.try_emplace(symbol, *value);
  }

  const Session& session_;
  const CodeObjectHistory& history_;
  ExprPool& pool_;
  GuardedFunction function_;
  std::map<uint32_t, GuardedEntry> entries_;  // by number of the attempt
};

/// Copies `expression` from one pool to another, with renamed symbols.
ExprId Copy(const ExprPool& from, ExprId expression, ExprPool& to,
            const std::map<std::string, ExprId, std::less<>>& names) {
  return to.Substitute(to.Parse(from.ToText(expression)), [&](ExprId symbol) {
    const auto found = names.find(to.name(symbol));
    return found == names.end() ? symbol : found->second;
  });
}

}  // namespace

std::vector<GuardedFunction> ReadFunctions(const Session& session, const std::string& name,
                                           ExprPool& pool) {
  std::vector<GuardedFunction> functions;
  for (const CodeObjectHistory& history : ReadHistories(session)) {
    if (!history.frame) continue;  // entries without compile ids are indistinguishable
    GuardedFunction function = FunctionReader(session, history, pool).Read();
    if (!name.empty() && function.where.function != name) continue;
    if (!function.entries.empty()) functions.push_back(std::move(function));
  }
  return functions;
}

GuardedFunction ReadGraphEntry(const GraphModel& graph, const GraphSet& graphs, ExprPool& pool) {
  GuardedFunction function;
  function.where.function = graph.name;
  function.where.file = graphs.inputs[graph.input].name;
  function.where.line = static_cast<uint32_t>(graph.line);
  GuardedEntry entry;
  entry.id = graphs.strings.text(graph.compile_id);
  entry.input = graph.input;
  entry.line = graph.line;
  // Complete with respect to the graph; the result says that it is a dump.
  entry.is_printed = true;
  const auto add = [&](ExprId predicate, bool is_zero_one) {
    EntryGuard guard;
    guard.predicate = predicate;
    guard.is_zero_one = is_zero_one;
    guard.line.guard = pool.ToText(predicate);
    entry.guards.push_back(std::move(guard));
  };
  std::map<std::string, ExprId, std::less<>> names;
  for (const GraphSymbol& symbol : graph.symbols) {
    const std::string printed(graphs.expressions.name(symbol.symbol));
    const std::string name = symbol.sources.empty()
                                 ? printed
                                 : WithoutFrame(graphs.strings.text(symbol.sources.front()));
    const ExprId variable = pool.Symbol(name);
    names[printed] = variable;
    entry.symbolic.insert(variable);
    if (symbol.hint) entry.sample[variable] = *symbol.hint;
    if (symbol.lower) {
      add(pool.Binary(ExprKind::kLessEqual, pool.Integer(*symbol.lower), variable),
          *symbol.lower == 2);
    }
    if (symbol.upper) {
      add(pool.Binary(ExprKind::kLessEqual, variable, pool.Integer(*symbol.upper)), false);
    }
  }
  for (const ExprId constraint : graph.constraints) {
    const ExprId predicate = Copy(graphs.expressions, constraint, pool, names);
    if (IsPredicate(pool.kind(predicate))) add(predicate, false);
  }
  function.entries.push_back(std::move(entry));
  return function;
}

}  // namespace shapewise
