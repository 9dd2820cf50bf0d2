// Redacts results whose inputs were read under their own names: graphs and plans of buckets.

#include <algorithm>
#include <string>

#include "redact/redact.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

class GraphRedactor {
 public:
  GraphRedactor(Redactor& redactor, GraphSet& graphs) : redactor_(redactor), graphs_(graphs) {}

  void Run() {
    for (GraphSet::Input& input : graphs_.inputs) {
      redactor_.Redact(TextKind::kPath, input.name);
      redactor_.Redact(TextKind::kProse, input.first_line);
    }
    for (ValueType& type : graphs_.types) {
      Rewrite(TextKind::kExpression, type.dtype);
      Rewrite(TextKind::kExpression, type.device);
      Rewrite(type.expression);
      for (ExprId& size : type.shape) Rewrite(size);
      for (ExprId& stride : type.stride) Rewrite(stride);
    }
    for (GraphModel& graph : graphs_.graphs) RewriteGraph(graph);
  }

 private:
  void Rewrite(TextKind kind, StrId& id) {
    id = graphs_.strings.Intern(redactor_.Rewrite(kind, graphs_.strings.text(id)));
  }

  void Rewrite(ExprId& id) {
    if (id == ExprId::kNone) return;
    ExprPool& pool = graphs_.expressions;
    id = pool.Substitute(id, [this, &pool](ExprId symbol) {
      const std::string name(pool.name(symbol));
      const std::string token = redactor_.Rewrite(TextKind::kExpression, name);
      return token == name ? ExprId::kNone : pool.Symbol(token);
    });
  }

  void RewriteGraph(GraphModel& graph) {
    redactor_.Redact(TextKind::kExpression, graph.name);
    redactor_.Redact(TextKind::kPath, graph.member);
    for (GraphNode& node : graph.nodes) {
      // The name of a tensor method reveals no more than the name of an operator.
      const bool is_operator = node.kind == NodeKind::kCallMethod || node.kind == NodeKind::kOutput;
      Rewrite(is_operator ? TextKind::kWord : TextKind::kExpression, node.target);
      Rewrite(TextKind::kPath, node.user_file);
      Rewrite(TextKind::kExpression, node.user_function);
      Rewrite(TextKind::kExpression, node.code);
    }
    for (GraphValue& value : graph.values) Rewrite(TextKind::kExpression, value.name);
    for (Argument& argument : graph.arguments) {
      Rewrite(TextKind::kExpression, argument.keyword);
      Rewrite(TextKind::kExpression, argument.text);
    }
    for (Placeholder& placeholder : graph.placeholders) {
      Rewrite(TextKind::kExpression, placeholder.source);
      Rewrite(TextKind::kExpression, placeholder.default_value);
    }
    for (GraphSymbol& symbol : graph.symbols) {
      Rewrite(symbol.symbol);
      for (StrId& source : symbol.sources) Rewrite(TextKind::kExpression, source);
    }
    for (ExprId& constraint : graph.constraints) Rewrite(constraint);
  }

  Redactor& redactor_;
  GraphSet& graphs_;
};

std::string RewriteOperator(Redactor& redactor, const std::string& name) {
  const bool has_library = HasText(name, ".") || HasText(name, "::");
  return redactor.Rewrite(has_library ? TextKind::kExpression : TextKind::kWord, name);
}

/// A reason may contain its operator, `op` or `new_op`, between blanks.
std::string RewriteWhy(const Redactor& redactor, const std::string& why, const std::string& op,
                       const std::string& new_op) {
  const size_t at = op.empty() ? std::string::npos : why.find(" " + op + " ");
  if (at == std::string::npos) return redactor.RewriteCode(why);
  return redactor.RewriteCode(why.substr(0, at + 1)) + new_op +
         redactor.RewriteCode(why.substr(at + 1 + op.size()));
}

void RedactReport(Redactor& redactor, GraphReport& report) {
  for (SymbolPadding& padding : report.padding) {
    redactor.Redact(TextKind::kExpression, padding.symbol);
    for (PaddingReason& reason : padding.because) {
      redactor.Redact(TextKind::kExpression, reason.node);
      const std::string op = RewriteOperator(redactor, reason.op);
      reason.why = RewriteWhy(redactor, reason.why, reason.op, op);
      reason.op = op;
      redactor.Redact(TextKind::kPath, reason.user_file);
    }
  }
  for (AlignmentAdvice& advice : report.alignment) {
    redactor.Redact(TextKind::kExpression, advice.symbol, advice.node);
    advice.why = redactor.RewriteCode(advice.why);
  }
  redactor.Redact(TextKind::kExpression, report.constraints);
}

}  // namespace

void RedactGraphs(Redactor& redactor, GraphSet& graphs, std::vector<GraphReport>& reports) {
  GraphRedactor(redactor, graphs).Run();
  for (GraphReport& report : reports) RedactReport(redactor, report);
}

void RedactBuckets(Redactor& redactor, const std::vector<std::string>& known_ladders,
                   BucketReport& report) {
  const auto is_own = [](const std::string& source) {
    return source.empty() || source == "told" || source == "assumed";
  };
  redactor.Redact(TextKind::kExpression, report.columns);
  redactor.Redact(TextKind::kPath, report.inputs);
  for (PlanSimulation& simulation : report.simulations) {
    simulation.policy = redactor.RewriteCode(simulation.policy);
    for (std::string& trap : simulation.traps) trap = redactor.RewriteCode(trap);
  }
  for (std::optional<CompilePrice>* price : {&report.static_compile, &report.dynamic_compile}) {
    if (*price && !is_own((*price)->source)) redactor.Redact(TextKind::kPath, (*price)->source);
  }
  for (LadderComparison& ladder : report.ladders) {
    const bool is_known = std::ranges::find(known_ladders, ladder.name) != known_ladders.end();
    if (is_known) continue;
    if (ladder.source != ladder.name) redactor.Redact(TextKind::kProse, ladder.source);
    redactor.Redact(TextKind::kPath, ladder.name);
  }
}

}  // namespace shapewise
