// What calls pass and functions take.

#include "syntax/tree_builder.h"

namespace shapewise {

const Expr* TreeBuilder::Call() {
  Expr* made = New<Expr>(Span());
  made->kind = ExprKind::kCall;
  EachChild([&](NodeKind kind) {
    if (made->left == nullptr) {
      if (IsExpression(kind)) made->left = Expression();
    } else if (kind == NodeKind::kArgumentList) {
      made->arguments = Arguments();
    } else if (kind == NodeKind::kGeneratorExpression) {
      const size_t from = arguments_.size();
      Argument argument;
      argument.value = Expression();
      argument.span = argument.value->span;
      arguments_.push_back(argument);
      made->arguments = Take(arguments_, from);
    }
  });
  if (made->left == nullptr) made->left = Unreadable(made->span);
  return HoistStar(made);
}

llvm::ArrayRef<Argument> TreeBuilder::Arguments() {
  const size_t from = arguments_.size();
  EachChild([&](NodeKind kind) {
    Argument argument;
    if (kind == NodeKind::kKeywordArgument) {
      bool is_named = false;
      EachChild([&](NodeKind part) {
        if (!is_named && part == NodeKind::kIdentifier) {
          argument.keyword = Text();
          is_named = true;
        } else if (IsExpression(part)) {
          argument.value = Expression();
        }
      });
    } else if (kind == NodeKind::kSplat || kind == NodeKind::kDictionarySplat) {
      argument.stars = kind == NodeKind::kSplat ? 1 : 2;
      argument.value = Inner();
    } else if (IsExpression(kind)) {
      argument.value = Expression();
      if (argument.value->kind == ExprKind::kStarred) {  // in parentheses
        argument.stars = 1;
        argument.value = argument.value->left;
      }
    } else {
      return;
    }
    argument.span = Span();
    if (argument.value == nullptr) argument.value = Unreadable(argument.span);
    arguments_.push_back(argument);
  });
  return Take(arguments_, from);
}

bool TreeBuilder::ParameterOf(NodeKind kind, Parameter& parameter) {
  const auto starred = [&](NodeKind part) {
    parameter.kind =
        part == NodeKind::kSplat ? Parameter::Kind::kStar : Parameter::Kind::kDoubleStar;
    EachChild([&](NodeKind name) {
      if (name == NodeKind::kIdentifier) parameter.name = Text();
    });
  };
  switch (kind) {
    case NodeKind::kIdentifier:
      parameter.name = Text();
      return true;
    case NodeKind::kSplat:
    case NodeKind::kDictionarySplat:
      starred(kind);
      return true;
    case NodeKind::kTypedParameter:
    case NodeKind::kDefaultParameter:
    case NodeKind::kTypedDefaultParameter:
      break;
    case NodeKind::kTuple:  // Python 2
      return true;
    default:
      return false;
  }
  bool is_named = false;
  EachChild([&](NodeKind part) {
    if (!is_named) {
      is_named = true;
      if (part == NodeKind::kIdentifier) parameter.name = Text();
      if (part == NodeKind::kSplat || part == NodeKind::kDictionarySplat) starred(part);
    } else if (part == NodeKind::kType) {
      parameter.annotation = Expression();
    } else if (IsExpression(part)) {
      parameter.default_value = Expression();
    }
  });
  return true;
}

llvm::ArrayRef<Parameter> TreeBuilder::Parameters() {
  const size_t from = parameters_.size();
  bool is_keyword_only = false;
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kKeywordSeparator) {
      is_keyword_only = true;
    } else if (kind == NodeKind::kPositionalSeparator) {
      for (size_t i = from; i < parameters_.size(); ++i) {
        parameters_[i].kind = Parameter::Kind::kPositionalOnly;
      }
    }
    Parameter parameter;
    if (is_keyword_only) parameter.kind = Parameter::Kind::kKeywordOnly;
    if (!ParameterOf(kind, parameter)) return;
    parameter.span = Span();
    is_keyword_only |= parameter.kind == Parameter::Kind::kStar;
    parameters_.push_back(parameter);
  });
  return Take(parameters_, from);
}
}  // namespace shapewise
