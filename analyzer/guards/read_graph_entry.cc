// A captured graph -> one entry.

#include <map>
#include <string>
#include <utility>

#include "guards/read_entries.h"
#include "guards/size_names.h"

namespace shapewise {
namespace {

/// Copies `expression` from one pool to another, with renamed symbols.
ExprId Copy(const ExprPool& from, ExprId expression, ExprPool& to,
            const std::map<std::string, ExprId, std::less<>>& names) {
  return to.Substitute(to.Parse(from.ToText(expression)), [&](ExprId symbol) {
    const auto found = names.find(to.name(symbol));
    return found == names.end() ? symbol : found->second;
  });
}

}  // namespace

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
