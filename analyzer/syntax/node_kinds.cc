#include "syntax/node_kinds.h"

#include <string>

#include "llvm/ADT/StringMap.h"

namespace shapewise {
namespace {

struct NamedKind {
  const char* name;
  NodeKind kind;
};

constexpr NamedKind kNamedNodes[] = {
    {"ERROR", NodeKind::kError},
    {"comment", NodeKind::kExtra},
    {"line_continuation", NodeKind::kExtra},

    {"identifier", NodeKind::kIdentifier},
    {"integer", NodeKind::kInteger},
    {"float", NodeKind::kFloat},
    {"string", NodeKind::kString},
    {"concatenated_string", NodeKind::kConcatenatedString},
    {"true", NodeKind::kTrue},
    {"false", NodeKind::kFalse},
    {"none", NodeKind::kNone},
    {"ellipsis", NodeKind::kEllipsis},
    {"attribute", NodeKind::kAttribute},
    {"call", NodeKind::kCall},
    {"subscript", NodeKind::kSubscript},
    {"slice", NodeKind::kSlice},
    {"unary_operator", NodeKind::kUnary},
    {"not_operator", NodeKind::kNot},
    {"binary_operator", NodeKind::kBinary},
    {"comparison_operator", NodeKind::kCompare},
    {"boolean_operator", NodeKind::kBoolean},
    {"conditional_expression", NodeKind::kConditional},
    {"lambda", NodeKind::kLambda},
    {"tuple", NodeKind::kTuple},
    {"tuple_pattern", NodeKind::kTuple},
    {"list", NodeKind::kList},
    {"list_pattern", NodeKind::kList},
    {"set", NodeKind::kSet},
    {"dictionary", NodeKind::kDictionary},
    {"list_comprehension", NodeKind::kListComprehension},
    {"set_comprehension", NodeKind::kSetComprehension},
    {"generator_expression", NodeKind::kGeneratorExpression},
    {"dictionary_comprehension", NodeKind::kDictionaryComprehension},
    {"list_splat", NodeKind::kSplat},
    {"list_splat_pattern", NodeKind::kSplat},
    {"splat_type", NodeKind::kSplat},
    {"await", NodeKind::kAwait},
    {"yield", NodeKind::kYield},
    {"named_expression", NodeKind::kNamed},
    {"parenthesized_expression", NodeKind::kParenthesized},
    {"as_pattern", NodeKind::kAsPattern},
    {"expression_list", NodeKind::kExpressionList},
    {"pattern_list", NodeKind::kExpressionList},
    {"type", NodeKind::kType},
    {"generic_type", NodeKind::kGenericType},
    {"union_type", NodeKind::kUnionType},
    {"constrained_type", NodeKind::kConstrainedType},
    {"member_type", NodeKind::kMemberType},

    {"interpolation", NodeKind::kInterpolation},
    {"format_expression", NodeKind::kInterpolation},
    {"format_specifier", NodeKind::kFormatSpecifier},
    {"argument_list", NodeKind::kArgumentList},
    {"dictionary_splat", NodeKind::kDictionarySplat},
    {"dictionary_splat_pattern", NodeKind::kDictionarySplat},
    {"keyword_argument", NodeKind::kKeywordArgument},
    {"pair", NodeKind::kPair},
    {"for_in_clause", NodeKind::kForInClause},
    {"if_clause", NodeKind::kIfClause},
    {"type_parameter", NodeKind::kTypeParameter},
    {"as_pattern_target", NodeKind::kAsPatternTarget},
    {"dotted_name", NodeKind::kDottedName},

    {"parameters", NodeKind::kParameters},
    {"lambda_parameters", NodeKind::kParameters},
    {"typed_parameter", NodeKind::kTypedParameter},
    {"default_parameter", NodeKind::kDefaultParameter},
    {"typed_default_parameter", NodeKind::kTypedDefaultParameter},
    {"keyword_separator", NodeKind::kKeywordSeparator},
    {"positional_separator", NodeKind::kPositionalSeparator},

    {"expression_statement", NodeKind::kExpressionStatement},
    {"return_statement", NodeKind::kReturn},
    {"if_statement", NodeKind::kIf},
    {"while_statement", NodeKind::kWhile},
    {"for_statement", NodeKind::kFor},
    {"with_statement", NodeKind::kWith},
    {"try_statement", NodeKind::kTry},
    {"raise_statement", NodeKind::kRaise},
    {"assert_statement", NodeKind::kAssert},
    {"delete_statement", NodeKind::kDelete},
    {"pass_statement", NodeKind::kPass},
    {"break_statement", NodeKind::kBreak},
    {"continue_statement", NodeKind::kContinue},
    {"global_statement", NodeKind::kGlobal},
    {"nonlocal_statement", NodeKind::kNonlocal},
    {"import_statement", NodeKind::kImport},
    {"import_from_statement", NodeKind::kImportFrom},
    {"future_import_statement", NodeKind::kImportFuture},
    {"function_definition", NodeKind::kFunction},
    {"class_definition", NodeKind::kClass},
    {"decorated_definition", NodeKind::kDecorated},
    {"match_statement", NodeKind::kMatch},
    {"type_alias_statement", NodeKind::kTypeAlias},
    {"print_statement", NodeKind::kPrint},
    {"exec_statement", NodeKind::kExec},

    {"assignment", NodeKind::kAssignment},
    {"augmented_assignment", NodeKind::kAugmentedAssignment},
    {"block", NodeKind::kBlock},
    {"elif_clause", NodeKind::kElif},
    {"else_clause", NodeKind::kElse},
    {"except_clause", NodeKind::kExcept},
    {"except_group_clause", NodeKind::kExceptGroup},
    {"finally_clause", NodeKind::kFinally},
    {"with_clause", NodeKind::kWithClause},
    {"with_item", NodeKind::kWithItem},
    {"decorator", NodeKind::kDecorator},
    {"case_clause", NodeKind::kCase},
    {"aliased_import", NodeKind::kAliasedImport},
    {"wildcard_import", NodeKind::kWildcardImport},
    {"relative_import", NodeKind::kRelativeImport},
    {"import_prefix", NodeKind::kImportPrefix},
};

constexpr NamedKind kTokens[] = {
    {"async", NodeKind::kAsync},
    {"from", NodeKind::kFrom},
    {",", NodeKind::kComma},
    {":", NodeKind::kColon},
    {"and", NodeKind::kAnd},
    {"or", NodeKind::kOr},
    {"import", NodeKind::kImportToken},
};

struct NamedCompare {
  const char* name;
  CompareOperator compare;
};

constexpr NamedCompare kCompareOperators[] = {
    {"==", CompareOperator::kEqual},        {"!=", CompareOperator::kNotEqual},
    {"<>", CompareOperator::kNotEqual},     {"<", CompareOperator::kLess},
    {"<=", CompareOperator::kLessEqual},    {">", CompareOperator::kGreater},
    {">=", CompareOperator::kGreaterEqual}, {"in", CompareOperator::kIn},
    {"not in", CompareOperator::kNotIn},    {"is", CompareOperator::kIs},
    {"is not", CompareOperator::kIsNot},
};

constexpr const char* kBinaryOperators[] = {"+", "-", "*", "/", "//", "%",  "**",
                                            "@", "&", "|", "^", "<<", ">>", "~"};

}  // namespace

const NodeKinds& NodeKinds::Get() {
  static const NodeKinds kinds;
  return kinds;
}

NodeKinds::NodeKinds() {
  const TSLanguage* language = tree_sitter_python();
  llvm::StringMap<Symbol> named;
  llvm::StringMap<Symbol> tokens;
  for (const NamedKind& node : kNamedNodes) named[node.name].kind = node.kind;
  for (const NamedKind& token : kTokens) tokens[token.name].kind = token.kind;
  for (const NamedCompare& token : kCompareOperators) {
    // "not in" and "is not" are two tokens each, and a node of their own.
    for (Symbol* symbol : {&tokens[token.name], &named[token.name]}) {
      symbol->kind = NodeKind::kCompareOperator;
      symbol->compare = token.compare;
    }
  }
  for (const std::string_view text : kBinaryOperators) {
    tokens[text].kind = NodeKind::kBinaryOperator;
    tokens[text].text = text;
    Symbol& augmented = tokens[std::string(text) + "="];
    augmented.kind = NodeKind::kAugmentedOperator;
    augmented.text = text;
  }
  symbols_.resize(ts_language_symbol_count(language));
  for (TSSymbol symbol = 0; symbol < symbols_.size(); ++symbol) {
    const auto& kinds =
        ts_language_symbol_type(language, symbol) == TSSymbolTypeAnonymous ? tokens : named;
    const auto found = kinds.find(ts_language_symbol_name(language, symbol));
    if (found != kinds.end()) symbols_[symbol] = found->second;
  }
}

}  // namespace shapewise
