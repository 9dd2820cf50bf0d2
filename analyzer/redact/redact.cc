// Redacts inputs and results whose texts are known by their fields. The name of a field of a
// session determines how its text is redacted; a field that is not listed here is treated as an
// expression, of which the least is kept. Results of replay and tune: the sentences of shapewise by
// the learned names, those of the program as messages.

#include "redact/redact.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "model/append_session.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

TextKind KindOfField(std::string_view field) {
  if (IsOneOf(field, {"file", "user_file", "trigger_file"})) return TextKind::kPath;
  if (field == "guard") return TextKind::kGuard;
  if (IsOneOf(field, {"message", "context", "type", "fail_type", "fail_reason", "hint", "cause",
                      "process", "server_text"})) {
    return TextKind::kProse;
  }
  const bool is_word = IsOneOf(field, {"kinds", "metric", "gb", "worker", "model"});
  return is_word ? TextKind::kWord : TextKind::kExpression;
}

class RedactedTexts final : public SessionTexts {
 public:
  explicit RedactedTexts(Redactor& redactor) : redactor_(redactor) {}

  size_t KindOf(std::string_view field) const override {
    return static_cast<size_t>(KindOfField(field));
  }
  std::string Rewrite(size_t kind, std::string_view text) override {
    return redactor_.Rewrite(static_cast<TextKind>(kind), text);
  }
  uint64_t RewriteHash(uint64_t hash) override { return redactor_.RewriteHash(hash); }

 private:
  Redactor& redactor_;
};

/// For a CompilePolicy or a PolicyChange.
template <typename Policy>
void RewriteTargets(Redactor& redactor, Policy& policy) {
  for (PolicyMark& mark : policy.marks) redactor.Redact(TextKind::kExpression, mark.source);
  for (PolicyBuckets& buckets : policy.buckets) {
    redactor.Redact(TextKind::kExpression, buckets.source);
  }
  for (auto* dims : {policy.shapes ? &policy.shapes->dims : nullptr,
                     policy.serving ? &policy.serving->dims : nullptr}) {
    if (dims == nullptr) continue;
    for (PolicyDim& dim : *dims) redactor.Redact(TextKind::kExpression, dim.source);
  }
}

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

/// Keeps the words of a policy, redacts its sources.
std::string RewritePolicyText(Redactor& redactor, const std::string& text) {
  Expected<PolicyChange> change = ParsePolicy(text);
  if (!change) {
    llvm::consumeError(change.takeError());
    return redactor.Rewrite(TextKind::kProse, text);
  }
  RedactChange(redactor, *change);
  return std::move(change->text);
}

void RewriteSentences(const Redactor& redactor, std::vector<std::string>& sentences) {
  for (std::string& sentence : sentences) sentence = redactor.RewriteCode(sentence);
}

void RewritePolicy(Redactor& redactor, ReplayedPolicy& policy) {
  policy.policy = RewritePolicyText(redactor, policy.policy);
  PolicyForecast& predicted = policy.predicted;
  predicted.why = redactor.RewriteCode(predicted.why);
  predicted.assumed = redactor.RewriteCode(predicted.assumed);
  RewriteSentences(redactor, predicted.traps);
  PolicyMeasurement& measured = policy.measured;
  redactor.Redact(TextKind::kProse, measured.error, measured.equal_why);
}

void RewriteRun(Redactor& redactor, TuneRun& run) {
  redactor.Redact(TextKind::kProse, run.error, run.problem, run.equal_why);
  redactor.Redact(TextKind::kPath, run.folder);
  for (TunedFunction& function : run.functions) {
    redactor.Redact(TextKind::kExpression, function.name);
  }
}

void RewriteTuned(Redactor& redactor, TunedAction& action) {
  action.policy = RewritePolicyText(redactor, action.policy);
  redactor.Redact(TextKind::kProse, action.why);
  for (RankedAction& part : action.parts) {
    part.policy = RewritePolicyText(redactor, part.policy);
    redactor.Redact(TextKind::kExpression, part.action.target.function);
    redactor.Redact(TextKind::kPath, part.action.target.file);
    part.action.text = redactor.RewriteCode(part.action.text);
    part.action.code = redactor.RewriteCode(part.action.code);
  }
  action.patches.clear();  // contains code
  if (action.run) RewriteRun(redactor, *action.run);
}

/// Rules put user code in backticks, of which the last may be missing in a truncated message; the
/// rest of a message is their own.
std::string RewriteQuoted(Redactor& redactor, std::string_view text) {
  std::string out;
  for (bool is_code = false;; is_code = !is_code) {
    const size_t end = text.find('`');
    const std::string_view part = text.substr(0, end);
    out += is_code ? redactor.Rewrite(TextKind::kExpression, part) : std::string(part);
    if (end == std::string_view::npos) return out;
    out += '`';
    text.remove_prefix(end + 1);
  }
}

std::string RewriteRelated(Redactor& redactor, std::string_view text) {
  constexpr std::string_view kCaller = "called from ";
  std::string_view caller = text;
  if (!ConsumeFront(caller, kCaller)) return RewriteQuoted(redactor, text);
  return std::string(kCaller) + redactor.Rewrite(TextKind::kExpression, caller);
}

/// Replaces the 16 hexadecimal digits: a guess of the code could be verified with them.
std::string RewriteFingerprint(Redactor& redactor, const std::string& fingerprint) {
  const uint64_t hash = std::strtoull(fingerprint.c_str(), nullptr, 16);
  const std::string digits = llvm::utohexstr(redactor.RewriteHash(hash), /*LowerCase=*/true);
  return std::string(16 - std::min<size_t>(16, digits.size()), '0') + digits;
}

void RedactFinding(Redactor& redactor, CodeFinding& finding) {
  redactor.Redact(TextKind::kPath, finding.file);
  redactor.Redact(TextKind::kExpression, finding.function);
  finding.message = RewriteQuoted(redactor, finding.message);
  finding.advice = RewriteQuoted(redactor, finding.advice);
  for (RelatedPlace& place : finding.related) {
    redactor.Redact(TextKind::kPath, place.file);
    place.text = RewriteRelated(redactor, place.text);
  }
  if (finding.fix) {
    finding.fix->title = RewriteQuoted(redactor, finding.fix->title);
    finding.fix->edits.clear();
  }
  finding.fingerprint = RewriteFingerprint(redactor, finding.fingerprint);
  for (CodeFinding& folded : finding.folded) RedactFinding(redactor, folded);
}

}  // namespace

void RedactSession(const Session& session, Redactor& redactor, Session& redacted) {
  RedactedTexts texts(redactor);
  AppendSession(session, &texts, redacted);
  redacted.SortByPlace();
}

void RedactHistory(Redactor& redactor, CallHistory& history) {
  std::unordered_map<StrId, StrId> known;  // each text is redacted once
  const auto rewrite = [&](StrId& id) {
    if (id == StrId::kNone) return;
    const auto [entry, is_new] = known.try_emplace(id, id);
    if (is_new) {
      // The text is in the pool that grows, but views into it stay valid.
      entry->second =
          history.strings.Intern(redactor.Rewrite(TextKind::kExpression, history.strings.text(id)));
    }
    id = entry->second;
  };
  for (StrId& source : history.sources) rewrite(source);
  for (TensorValue& tensor : history.tensors) {
    for (StrId* text : {&tensor.dtype, &tensor.device, &tensor.type, &tensor.keys}) rewrite(*text);
  }
  for (CallSignature& signature : history.signatures) {
    for (CallValue& value : signature.values) rewrite(value.text);
    rewrite(signature.state);
  }
}

void RedactPolicy(Redactor& redactor, CompilePolicy& policy) {
  RewriteTargets(redactor, policy);
  redactor.Redact(TextKind::kExpression, policy.dynamic_sources, policy.unbacked_sources,
                  policy.unknown_options);
}

void RedactCalls(Redactor& redactor, RecordedFunction& function) {
  redactor.Redact(TextKind::kExpression, function.function);
  redactor.Redact(TextKind::kPath, function.file);
  RedactHistory(redactor, function.history);
  if (function.policy) RedactPolicy(redactor, *function.policy);
}

void RedactChange(Redactor& redactor, PolicyChange& change) {
  RewriteTargets(redactor, change);
  for (auto& [name, value] : change.options) {
    const bool is_list = name == "dynamic_sources" || name == "unbacked_sources";
    if (is_list) redactor.Redact(TextKind::kExpression, value);
  }
  const std::string_view written = change.text;
  std::string text;
  size_t end = 0;
  for (TextPiece& piece : change.named) {
    text += written.substr(end, piece.begin - end);
    end = piece.begin + piece.size;
    const std::string name =
        redactor.Rewrite(TextKind::kExpression, written.substr(piece.begin, piece.size));
    piece = {text.size(), name.size()};
    text += name;
  }
  text += written.substr(end);
  change.text = std::move(text);
}

std::string RedactCallable(Redactor& redactor, std::string_view callable) {
  const size_t colon = callable.rfind(':');
  if (colon == std::string_view::npos) return redactor.Rewrite(TextKind::kExpression, callable);
  const std::string_view place = callable.substr(0, colon);
  const TextKind kind = place.ends_with(".py") ? TextKind::kPath : TextKind::kExpression;
  return redactor.Rewrite(kind, place) + ":" +
         redactor.Rewrite(TextKind::kExpression, callable.substr(colon + 1));
}

void LearnNames(Redactor& redactor, const RunFunction& function) {
  const auto learn = [&redactor](TextKind kind, std::string_view text) {
    redactor.Rewrite(kind, text);
  };
  learn(TextKind::kExpression, function.where.function);
  learn(TextKind::kExpression, function.likely_name);
  learn(TextKind::kPath, function.where.file);
  const CallHistory& history = function.history;
  for (const StrId source : history.sources) {
    learn(TextKind::kExpression, history.strings.text(source));
  }
  for (const BodyFrame& frame : function.body.frames) {
    learn(TextKind::kExpression, frame.name);
    for (const BodySource& source : frame.sources) learn(TextKind::kExpression, source.source);
    for (const ResumeInput& input : frame.inputs) learn(TextKind::kExpression, input.source);
    for (const BodyQuestion& question : frame.questions) learn(TextKind::kPath, question.file);
    for (const SpecializedSize& size : frame.specialized) learn(TextKind::kPath, size.file);
  }
  for (const std::string& option : function.policy.unknown_options) {
    // Options without a value are sentences of shapewise.
    if (HasText(option, "=")) learn(TextKind::kExpression, option);
  }
}

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
    RewriteSentences(redactor, simulation.traps);
  }
  for (std::optional<CompilePrice>* price : {&report.static_compile, &report.dynamic_compile}) {
    if (*price && !is_own((*price)->source)) redactor.Redact(TextKind::kPath, (*price)->source);
  }
  for (LadderComparison& ladder : report.ladders) {
    if (llvm::is_contained(known_ladders, ladder.name)) continue;
    if (ladder.source != ladder.name) redactor.Redact(TextKind::kProse, ladder.source);
    redactor.Redact(TextKind::kPath, ladder.name);
  }
}

void RedactTune(Redactor& redactor, TuneReport& report) {
  redactor.Redact(TextKind::kProse, report.command);
  redactor.Redact(TextKind::kPath, report.folder);
  RewriteRun(redactor, report.baseline);
  if (report.repeated) RewriteRun(redactor, *report.repeated);
  for (TunedAction& action : report.actions) RewriteTuned(redactor, action);
  if (report.confirmed_before) RewriteRun(redactor, *report.confirmed_before);
  if (report.confirmed) RewriteTuned(redactor, *report.confirmed);
  redactor.Redact(TextKind::kProse, report.gaps);
}

void RedactReplay(Redactor& redactor, size_t first_own, ReplayReport& report) {
  redactor.Redact(TextKind::kPath, report.script);
  redactor.Redact(TextKind::kExpression, report.function, report.where.function);
  redactor.Redact(TextKind::kPath, report.where.file);
  for (ReplayedPolicy& policy : report.policies) RewritePolicy(redactor, policy);
  for (size_t i = 0; i < report.gaps.size(); ++i) {
    std::string& gap = report.gaps[i];
    gap = i < first_own ? redactor.RewriteCode(gap) : redactor.Rewrite(TextKind::kProse, gap);
  }
}

void RedactCurve(Redactor& redactor, CurveReport& report) {
  redactor.Redact(TextKind::kExpression, report.dims, report.graph, report.symbol);
  RewriteSentences(redactor, report.gaps);
}

void RedactCheck(Redactor& redactor, CheckResult& result) {
  for (auto* findings : {&result.findings, &result.suppressed_findings, &result.known_findings}) {
    for (CodeFinding& finding : *findings) RedactFinding(redactor, finding);
  }
  for (CodeFault& fault : result.faults) {
    redactor.Redact(TextKind::kPath, fault.file);
    redactor.Redact(TextKind::kProse, fault.message);
  }
  redactor.Redact(TextKind::kProse, result.unread);
}

}  // namespace shapewise
