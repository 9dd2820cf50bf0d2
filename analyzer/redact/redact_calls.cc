#include "redact/redact.h"

#include <unordered_map>
#include <utility>

#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Redacts each text of a history once.
class HistoryRedactor {
 public:
  HistoryRedactor(Redactor& redactor, CallHistory& history)
      : redactor_(redactor), history_(history) {}

  void Run() {
    for (StrId& source : history_.sources) Rewrite(source);
    for (TensorValue& tensor : history_.tensors) {
      for (StrId* text : {&tensor.dtype, &tensor.device, &tensor.type, &tensor.keys}) {
        Rewrite(*text);
      }
    }
    for (CallSignature& signature : history_.signatures) {
      for (CallValue& value : signature.values) Rewrite(value.text);
      Rewrite(signature.state);
    }
  }

 private:
  void Rewrite(StrId& id) {
    if (id == StrId::kNone) return;
    const auto [known, is_new] = known_.try_emplace(id, id);
    if (is_new) {
      // The text is in the pool that grows, but views into it stay valid.
      known->second = history_.strings.Intern(
          redactor_.Rewrite(TextKind::kExpression, history_.strings.text(id)));
    }
    id = known->second;
  }

  Redactor& redactor_;
  CallHistory& history_;
  std::unordered_map<StrId, StrId> known_;
};

/// For a CompilePolicy or a PolicyChange.
template <typename Policy>
void RewriteTargets(Redactor& redactor, Policy& policy) {
  for (PolicyMark& mark : policy.marks) redactor.Redact(TextKind::kExpression, mark.source);
  for (PolicyBuckets& buckets : policy.buckets)
    redactor.Redact(TextKind::kExpression, buckets.source);
  if (policy.shapes) {
    for (PolicyDim& dim : policy.shapes->dims) redactor.Redact(TextKind::kExpression, dim.source);
  }
  if (policy.serving) {
    for (PolicyDim& dim : policy.serving->dims) redactor.Redact(TextKind::kExpression, dim.source);
  }
}

}  // namespace

void RedactHistory(Redactor& redactor, CallHistory& history) {
  HistoryRedactor(redactor, history).Run();
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

}  // namespace shapewise
