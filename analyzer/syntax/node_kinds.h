// What tree-sitter's grammar of Python calls the nodes of its trees.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_NODE_KINDS_H_
#define SHAPEWISE_ANALYZER_SYNTAX_NODE_KINDS_H_

#include <tree_sitter/api.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "shapewise/syntax/python_ast.h"

extern "C" const TSLanguage* tree_sitter_python();

namespace shapewise {

enum class GrammarKind : uint8_t {
  kOther,  ///< tokens that nothing asks for, and what is not known here
  kError,
  kExtra,  ///< comments, continued lines

  // Expressions, from the first to kLastExpression.
  kIdentifier,
  kInteger,
  kFloat,
  kString,
  kConcatenatedString,
  kTrue,
  kFalse,
  kNone,
  kEllipsis,
  kAttribute,
  kCall,
  kSubscript,
  kSlice,
  kUnary,
  kNot,
  kBinary,
  kCompare,
  kBoolean,
  kConditional,
  kLambda,
  kTuple,
  kList,
  kSet,
  kDictionary,
  kListComprehension,
  kSetComprehension,
  kGeneratorExpression,
  kDictionaryComprehension,
  kSplat,
  kAwait,
  kYield,
  kNamed,
  kParenthesized,
  kAsPattern,
  kExpressionList,
  kType,
  kGenericType,
  kUnionType,
  kConstrainedType,
  kMemberType,
  kLastExpression,

  // Parts of expressions.
  kInterpolation,
  kFormatSpecifier,
  kArgumentList,
  kDictionarySplat,
  kKeywordArgument,
  kPair,
  kForInClause,
  kIfClause,
  kTypeParameter,
  kAsPatternTarget,
  kDottedName,

  // Parameters.
  kParameters,
  kTypedParameter,
  kDefaultParameter,
  kTypedDefaultParameter,
  kKeywordSeparator,
  kPositionalSeparator,

  // Statements, from the first to kLastStatement.
  kExpressionStatement,
  kReturn,
  kIf,
  kWhile,
  kFor,
  kWith,
  kTry,
  kRaise,
  kAssert,
  kDelete,
  kPass,
  kBreak,
  kContinue,
  kGlobal,
  kNonlocal,
  kImport,
  kImportFrom,
  kImportFuture,
  kFunction,
  kClass,
  kDecorated,
  kMatch,
  kTypeAlias,
  kPrint,
  kExec,
  kLastStatement,

  // Parts of statements.
  kAssignment,
  kAugmentedAssignment,
  kBlock,
  kElif,
  kElse,
  kExcept,
  kExceptGroup,
  kFinally,
  kWithClause,
  kWithItem,
  kDecorator,
  kCase,
  kAliasedImport,
  kWildcardImport,
  kRelativeImport,
  kImportPrefix,

  // Tokens.
  kAsync,
  kFrom,
  kComma,
  kColon,
  kIn,
  kAnd,
  kOr,
  kImportToken,
  kCompareOperator,
  kBinaryOperator,
  kAugmentedOperator,
};

inline bool IsExpression(GrammarKind kind) {
  return kind > GrammarKind::kExtra && kind < GrammarKind::kLastExpression;
}

inline bool IsStatement(GrammarKind kind) {
  return kind >= GrammarKind::kExpressionStatement && kind < GrammarKind::kLastStatement;
}

/// The grammar's symbols, looked up once.
class NodeKinds {
 public:
  static const NodeKinds& Get();

  GrammarKind KindOf(TSSymbol symbol) const {
    return symbol < symbols_.size() ? symbols_[symbol].kind : GrammarKind::kError;
  }
  /// Of a kBinaryOperator, a unary operator, or a kAugmentedOperator (without "="): its text.
  std::string_view OperatorText(TSSymbol symbol) const { return symbols_[symbol].text; }
  CompareOperator Compare(TSSymbol symbol) const { return symbols_[symbol].compare; }

 private:
  struct Symbol {
    GrammarKind kind = GrammarKind::kOther;
    CompareOperator compare = CompareOperator::kEqual;
    std::string_view text;
  };

  NodeKinds();

  std::vector<Symbol> symbols_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SYNTAX_NODE_KINDS_H_
