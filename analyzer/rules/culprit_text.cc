#include "rules/culprit_text.h"

#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {

std::string CallableText(const Cause& cause) {
  if (!cause.culprit) return {};
  constexpr std::string_view kCode = ".__code__";
  std::string_view source = cause.culprit->source;
  if (source.ends_with(kCode)) source.remove_suffix(kCode.size());
  return std::string(source);
}

std::string VariableText(const Cause& cause) {
  if (!cause.culprit) return {};
  const std::string& text = cause.culprit->source;
  const SourceRef source = ParseSource(text);
  if (source.IsDefault()) return "the default " + text;
  if (source.root == SourceRef::Root::kGlobal) {
    return "the global " + SpellSources(text, SourceSpelling::kPython);
  }
  if (source.path.empty()) return text;
  return (source.IsAttribute() ? "the attribute " : "the item ") + text;
}

std::string SubjectText(const Cause& cause) {
  if (!cause.culprit) return {};
  const std::string& source = cause.culprit->source;
  if (cause.culprit->IsOtherConstant()) return source;
  const auto of_source = [&](std::string_view what) {
    return std::string(what) + (source.empty() ? "" : " of " + source);
  };
  switch (cause.culprit->guard_class) {
    case GuardClass::kSize:
      return of_source("the shape");
    case GuardClass::kStride:
      return of_source("the stride");
    case GuardClass::kNdim:
      return of_source("the number of dims");
    case GuardClass::kDtype:
      return of_source("the dtype");
    case GuardClass::kDevice:
      return of_source("the device");
    case GuardClass::kRequiresGrad:
      return of_source("requires_grad");
    case GuardClass::kDispatchKeys:
      return of_source("the kind");
    case GuardClass::kSymbolic:
      if (source.empty()) return "a relation of sizes";
      return of_source(IsRelationOfNumber(cause) ? "the value" : "a relation of the sizes");
    case GuardClass::kZeroOne:
      return of_source("a size of 0 or 1");
    case GuardClass::kLength:
      return IsLoopIterator(cause) ? "the number of items that a loop has left"
                                   : of_source("the length");
    case GuardClass::kKeys:
      // "KeyError on self._parameters['bias']": the source is the item that some objects lack.
      if (cause.message.starts_with("KeyError on ")) {
        const std::string_view keys = FactOf(cause, "keys");
        if (!HasText(keys, ", ")) return "the presence of " + source;
        return "the presence of the keys " + std::string(keys) + " of " +
               std::string(FactOf(cause, "container"));
      }
      return of_source("the set of keys or attributes");
    case GuardClass::kType:
      return of_source("the type");
    case GuardClass::kIdentity:
      if (source.empty()) return "an object";
      return CallableText(cause) == source ? "the object " + source
                                           : "the function " + CallableText(cause);
    case GuardClass::kBackend:
      return "the backend";
    case GuardClass::kGlobalState:
      return "global state" + (cause.values.empty() ? "" : " (" + cause.values.front() + ")");
    default:
      return source;
  }
}

std::string_view TensorKindText(TensorKind kind) {
  switch (kind) {
    case TensorKind::kTransform:
      return "transform of torch.func";
    case TensorKind::kSubclass:
      return "subclass or mode";
    case TensorKind::kDevice:
      return "device type";
    case TensorKind::kLayout:
      return "layout: dense, sparse, quantized or nested";
    case TensorKind::kLazyView:
      return "conjugate or negative view";
    case TensorKind::kInference:
      return "made under inference_mode or not";
    case TensorKind::kUnknown:
      break;
  }
  return {};
}

}  // namespace shapewise
