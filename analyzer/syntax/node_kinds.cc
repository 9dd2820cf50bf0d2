#include "syntax/node_kinds.h"

#include <string>

#include "llvm/ADT/StringMap.h"

namespace shapewise {
namespace {

struct NamedKind {
  const char* name;
  GrammarKind kind;
};

constexpr NamedKind kNamedNodes[] = {
    {"ERROR", GrammarKind::kError},
    {"comment", GrammarKind::kExtra},
    {"line_continuation", GrammarKind::kExtra},

    {"identifier", GrammarKind::kIdentifier},
    {"integer", GrammarKind::kInteger},
    {"float", GrammarKind::kFloat},
    {"string", GrammarKind::kString},
    {"concatenated_string", GrammarKind::kConcatenatedString},
    {"true", GrammarKind::kTrue},
    {"false", GrammarKind::kFalse},
    {"none", GrammarKind::kNone},
    {"ellipsis", GrammarKind::kEllipsis},
    {"attribute", GrammarKind::kAttribute},
    {"call", GrammarKind::kCall},
    {"subscript", GrammarKind::kSubscript},
    {"slice", GrammarKind::kSlice},
    {"unary_operator", GrammarKind::kUnary},
    {"not_operator", GrammarKind::kNot},
    {"binary_operator", GrammarKind::kBinary},
    {"comparison_operator", GrammarKind::kCompare},
    {"boolean_operator", GrammarKind::kBoolean},
    {"conditional_expression", GrammarKind::kConditional},
    {"lambda", GrammarKind::kLambda},
    {"tuple", GrammarKind::kTuple},
    {"tuple_pattern", GrammarKind::kTuple},
    {"list", GrammarKind::kList},
    {"list_pattern", GrammarKind::kList},
    {"set", GrammarKind::kSet},
    {"dictionary", GrammarKind::kDictionary},
    {"list_comprehension", GrammarKind::kListComprehension},
    {"set_comprehension", GrammarKind::kSetComprehension},
    {"generator_expression", GrammarKind::kGeneratorExpression},
    {"dictionary_comprehension", GrammarKind::kDictionaryComprehension},
    {"list_splat", GrammarKind::kSplat},
    {"list_splat_pattern", GrammarKind::kSplat},
    {"splat_type", GrammarKind::kSplat},
    {"await", GrammarKind::kAwait},
    {"yield", GrammarKind::kYield},
    {"named_expression", GrammarKind::kNamed},
    {"parenthesized_expression", GrammarKind::kParenthesized},
    {"as_pattern", GrammarKind::kAsPattern},
    {"expression_list", GrammarKind::kExpressionList},
    {"pattern_list", GrammarKind::kExpressionList},
    {"type", GrammarKind::kType},
    {"generic_type", GrammarKind::kGenericType},
    {"union_type", GrammarKind::kUnionType},
    {"constrained_type", GrammarKind::kConstrainedType},
    {"member_type", GrammarKind::kMemberType},

    {"interpolation", GrammarKind::kInterpolation},
    {"format_expression", GrammarKind::kInterpolation},
    {"format_specifier", GrammarKind::kFormatSpecifier},
    {"argument_list", GrammarKind::kArgumentList},
    {"dictionary_splat", GrammarKind::kDictionarySplat},
    {"dictionary_splat_pattern", GrammarKind::kDictionarySplat},
    {"keyword_argument", GrammarKind::kKeywordArgument},
    {"pair", GrammarKind::kPair},
    {"for_in_clause", GrammarKind::kForInClause},
    {"if_clause", GrammarKind::kIfClause},
    {"type_parameter", GrammarKind::kTypeParameter},
    {"as_pattern_target", GrammarKind::kAsPatternTarget},
    {"dotted_name", GrammarKind::kDottedName},

    {"parameters", GrammarKind::kParameters},
    {"lambda_parameters", GrammarKind::kParameters},
    {"typed_parameter", GrammarKind::kTypedParameter},
    {"default_parameter", GrammarKind::kDefaultParameter},
    {"typed_default_parameter", GrammarKind::kTypedDefaultParameter},
    {"keyword_separator", GrammarKind::kKeywordSeparator},
    {"positional_separator", GrammarKind::kPositionalSeparator},

    {"expression_statement", GrammarKind::kExpressionStatement},
    {"return_statement", GrammarKind::kReturn},
    {"if_statement", GrammarKind::kIf},
    {"while_statement", GrammarKind::kWhile},
    {"for_statement", GrammarKind::kFor},
    {"with_statement", GrammarKind::kWith},
    {"try_statement", GrammarKind::kTry},
    {"raise_statement", GrammarKind::kRaise},
    {"assert_statement", GrammarKind::kAssert},
    {"delete_statement", GrammarKind::kDelete},
    {"pass_statement", GrammarKind::kPass},
    {"break_statement", GrammarKind::kBreak},
    {"continue_statement", GrammarKind::kContinue},
    {"global_statement", GrammarKind::kGlobal},
    {"nonlocal_statement", GrammarKind::kNonlocal},
    {"import_statement", GrammarKind::kImport},
    {"import_from_statement", GrammarKind::kImportFrom},
    {"future_import_statement", GrammarKind::kImportFuture},
    {"function_definition", GrammarKind::kFunction},
    {"class_definition", GrammarKind::kClass},
    {"decorated_definition", GrammarKind::kDecorated},
    {"match_statement", GrammarKind::kMatch},
    {"type_alias_statement", GrammarKind::kTypeAlias},
    {"print_statement", GrammarKind::kPrint},
    {"exec_statement", GrammarKind::kExec},

    {"assignment", GrammarKind::kAssignment},
    {"augmented_assignment", GrammarKind::kAugmentedAssignment},
    {"block", GrammarKind::kBlock},
    {"elif_clause", GrammarKind::kElif},
    {"else_clause", GrammarKind::kElse},
    {"except_clause", GrammarKind::kExcept},
    {"except_group_clause", GrammarKind::kExceptGroup},
    {"finally_clause", GrammarKind::kFinally},
    {"with_clause", GrammarKind::kWithClause},
    {"with_item", GrammarKind::kWithItem},
    {"decorator", GrammarKind::kDecorator},
    {"case_clause", GrammarKind::kCase},
    {"aliased_import", GrammarKind::kAliasedImport},
    {"wildcard_import", GrammarKind::kWildcardImport},
    {"relative_import", GrammarKind::kRelativeImport},
    {"import_prefix", GrammarKind::kImportPrefix},
};

constexpr NamedKind kTokens[] = {
    {"async", GrammarKind::kAsync},
    {"from", GrammarKind::kFrom},
    {",", GrammarKind::kComma},
    {":", GrammarKind::kColon},
    {"and", GrammarKind::kAnd},
    {"or", GrammarKind::kOr},
    {"import", GrammarKind::kImportToken},
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
      symbol->kind = GrammarKind::kCompareOperator;
      symbol->compare = token.compare;
    }
  }
  for (const std::string_view text : kBinaryOperators) {
    tokens[text].kind = GrammarKind::kBinaryOperator;
    tokens[text].text = text;
    Symbol& augmented = tokens[std::string(text) + "="];
    augmented.kind = GrammarKind::kAugmentedOperator;
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
