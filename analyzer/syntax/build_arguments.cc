// What calls pass and functions take.

#include "syntax/tree_builder.h"

namespace shapewise {

const Expr* TreeBuilder::Call() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kCall;
  EachChild([&](GrammarKind kind) {
    if (made->left == nullptr) {
      if (IsExpression(kind)) made->left = Expression();
    } else if (kind == GrammarKind::kArgumentList) {
      made->arguments = Arguments();
    } else if (kind == GrammarKind::kGeneratorExpression) {
      const size_t from = arguments_.size();
      CallArgument argument;
      argument.value = Expression();
      argument.span = argument.value->span;
      arguments_.push_back(argument);
      made->arguments = Take(arguments_, from);
    }
  });
  if (made->left == nullptr) made->left = Unreadable(made->span);
  return HoistStar(made);
}

llvm::ArrayRef<CallArgument> TreeBuilder::Arguments() {
  const size_t from = arguments_.size();
  EachChild([&](GrammarKind kind) {
    CallArgument argument;
    if (kind == GrammarKind::kKeywordArgument) {
      bool is_named = false;
      EachChild([&](GrammarKind part) {
        if (!is_named && part == GrammarKind::kIdentifier) {
          argument.keyword = Text();
          is_named = true;
        } else if (IsExpression(part)) {
          argument.value = Expression();
        }
      });
    } else if (kind == GrammarKind::kSplat || kind == GrammarKind::kDictionarySplat) {
      argument.stars = kind == GrammarKind::kSplat ? 1 : 2;
      argument.value = Inner();
    } else if (IsExpression(kind)) {
      argument.value = Expression();
      if (argument.value->kind == PythonExprKind::kStarred) {  // in parentheses
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

bool TreeBuilder::ParameterOf(GrammarKind kind, Parameter& parameter) {
  const auto starred = [&](GrammarKind part) {
    parameter.kind =
        part == GrammarKind::kSplat ? Parameter::Kind::kStar : Parameter::Kind::kDoubleStar;
    EachChild([&](GrammarKind name) {
      if (name == GrammarKind::kIdentifier) parameter.name = Text();
    });
  };
  switch (kind) {
    case GrammarKind::kIdentifier:
      parameter.name = Text();
      return true;
    case GrammarKind::kSplat:
    case GrammarKind::kDictionarySplat:
      starred(kind);
      return true;
    case GrammarKind::kTypedParameter:
    case GrammarKind::kDefaultParameter:
    case GrammarKind::kTypedDefaultParameter:
      break;
    case GrammarKind::kTuple:  // Python 2
      return true;
    default:
      return false;
  }
  bool is_named = false;
  EachChild([&](GrammarKind part) {
    if (!is_named) {
      is_named = true;
      if (part == GrammarKind::kIdentifier) parameter.name = Text();
      if (part == GrammarKind::kSplat || part == GrammarKind::kDictionarySplat) starred(part);
    } else if (part == GrammarKind::kType) {
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
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kKeywordSeparator) {
      is_keyword_only = true;
    } else if (kind == GrammarKind::kPositionalSeparator) {
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
