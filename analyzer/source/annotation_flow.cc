// Values that annotations of parameters and variables promise.

#include <optional>
#include <string_view>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "source/function_flow.h"
#include "source/outside.h"

namespace shapewise {

std::optional<std::string_view> PlainText(std::string_view literal) {
  if (literal.size() < 2 || (literal.front() != '\'' && literal.front() != '"'))
    return std::nullopt;
  const std::string_view text = literal.substr(1, literal.size() - 2);
  const auto is_special = [](char c) { return c == '\\' || c == '"' || c == '\''; };
  if (literal.back() != literal.front() || llvm::any_of(text, is_special)) return std::nullopt;
  return text;
}

Value FlowEngine::ValueOfAnnotation(FileId file, const Expr& annotation) {
  // An alias may contain itself, and may occur twice in the next one. It is unknown while it is
  // being read.
  return Keep(annotations_, file, annotation, [&](uint32_t context) {
    const FlowStep step(*this, contexts_[context]);
    return step.is_allowed() ? ReadAnnotation(file, annotation) : Value{};
  });
}

Value FlowEngine::DeclaredObject(FileId file, const Expr& annotation) {
  Binding binding;
  if (annotation.kind == PythonExprKind::kString) {
    const std::optional<std::string_view> name = PlainText(annotation.text);
    if (name) binding = project_.Resolve(file, *name);
  } else if (annotation.kind == PythonExprKind::kName) {
    binding = project_.Resolve(file, annotation.text);
  }
  const bool is_object = binding.kind == Binding::Kind::kClass && !project_.IsModule(binding.id);
  return is_object ? values_.Object(binding.id, /*is_module=*/false) : Value{};
}

Value FlowEngine::ReadAnnotation(FileId file, const Expr& annotation) {
  switch (annotation.kind) {
    case PythonExprKind::kNone:
      return {.kind = ValueKind::kNone};
    case PythonExprKind::kString: {
      // A forward reference: only names that need no look-up are understood.
      const std::optional<std::string_view> text = PlainText(annotation.text);
      if (text == "torch.Tensor" || text == "Tensor") return {.kind = ValueKind::kTensor};
      return {};
    }
    case PythonExprKind::kName:
    case PythonExprKind::kAttribute: {
      const Binding binding = project_.ResolveDotted(file, annotation);
      if (binding.kind == Binding::Kind::kClass) {
        return values_.Object(binding.id, project_.IsModule(binding.id));
      }
      if (binding.kind == Binding::Kind::kExpression && binding.expr != nullptr) {
        const bool is_type = binding.expr->kind == PythonExprKind::kSubscript ||
                             binding.expr->kind == PythonExprKind::kBinary;
        return is_type ? ValueOfAnnotation(binding.file, *binding.expr) : Value{};
      }
      if (binding.kind != Binding::Kind::kOutside) return {};
      return ValueOfType(binding.name);
    }
    case PythonExprKind::kBinary: {
      if (annotation.text != "|") return {};
      return values_.Join(ValueOfAnnotation(file, *annotation.left),
                          ValueOfAnnotation(file, *annotation.right));
    }
    case PythonExprKind::kSubscript: {
      const std::string_view name = annotation.left->text;
      if (annotation.items.empty()) return {};
      Value first = ValueOfAnnotation(file, *annotation.items.front());
      if (name == "Optional") {
        first.traits |= Bit(Trait::kOptional);
        return first;
      }
      if (name == "Annotated" || name == "Final" || name == "ClassVar" || name == "Unpack") {
        return first;
      }
      if (name == "Union") {
        Value value = first;
        for (const Expr* item : annotation.items.drop_front()) {
          value = values_.Join(value, ValueOfAnnotation(file, *item));
        }
        return value;
      }
      if (name == "list" || name == "List" || name == "Sequence" || name == "set" ||
          name == "Iterable" || name == "Set") {
        return values_.SequenceOf(first);
      }
      if (name == "tuple" || name == "Tuple") {
        const bool is_open = annotation.items.size() == 2 &&
                             annotation.items.back()->kind == PythonExprKind::kEllipsis;
        if (annotation.items.size() == 1 || is_open) return values_.SequenceOf(first);
        Items items{.is_exact = true, .element = first};
        for (const Expr* item : annotation.items) {
          items.items.push_back(ValueOfAnnotation(file, *item));
          items.element = values_.Join(items.element, items.items.back());
        }
        return values_.Sequence(std::move(items));
      }
      if (name == "dict" || name == "Dict" || name == "Mapping") {
        const bool has_value = annotation.items.size() == 2;
        return values_.Mapping(has_value ? ValueOfAnnotation(file, *annotation.items[1]) : Value{});
      }
      return {};
    }
    default:
      return {};
  }
}

}  // namespace shapewise
