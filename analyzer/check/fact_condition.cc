#include "check/fact_condition.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "check/fact_text.h"
#include "check/origin.h"
#include "llvm/ADT/STLExtras.h"
#include "rules/json_fields.h"
#include "support/nearest_name.h"
#include "support/text_scan.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kTraitSuffix = "_is";
constexpr std::string_view kPositionKey = "argument";
constexpr std::string_view kKeywordKey = "argument:";
constexpr std::string_view kAnyArgumentKey = "argument*";
constexpr std::string_view kOriginSuffix = "_from";
constexpr std::string_view kFormSuffix = "_written";
constexpr std::string_view kOtherTextSuffix = "_not";
/// By StoreKind.
constexpr std::string_view kStoreKinds[] = {"itself", "tested", "appended"};
constexpr std::string_view kSelf = "self";
constexpr std::string_view kConstructor = "__init__";
constexpr char kNot = '!';
constexpr char kAnyLetters = '*';

// Keys as an error suggests them; "argument" takes any number or keyword.
constexpr std::string_view kWhereKeys[] = {
    "at",           "name",      "use",       "subject",          "subject_is",
    "argument0",    "argument1", "argument2", "argument0_is",     "argument1_is",
    "argument2_is", "result",    "result_is", "argument:keyword", "with",
    "without",      "in",        "under",     "not_under",        "function"};

/// Constructs around a fact that conditions can test.
enum class FactSurrounding : uint8_t {
  kLoop,
  kComprehension,
  kTry,
  kNoGrad,
  kFullGraph,
  kRepeated,
  kBranch
};
constexpr std::string_view kSurroundings[] = {"loop",       "comprehension", "try",   "no_grad",
                                              "full_graph", "repeated",      "branch"};

template <typename Enum>
uint32_t BitOf(Enum value) {
  return uint32_t{1} << static_cast<uint32_t>(value);
}

/// Names of an enum whose values count from 0 to `last`.
template <typename Enum>
std::vector<std::string_view> CountedNames(Enum last, std::string_view (*name)(Enum)) {
  std::vector<std::string_view> names;
  for (uint32_t value = 0; value <= static_cast<uint32_t>(last); ++value) {
    names.push_back(name(static_cast<Enum>(value)));
  }
  return names;
}

/// Names of an enum whose values are bits up to `last`.
template <typename Enum>
std::vector<std::string_view> BitNames(Enum last, std::string_view (*name)(Enum)) {
  std::vector<std::string_view> names;
  for (uint32_t bit = 1; bit <= static_cast<uint32_t>(last); bit <<= 1) {
    names.push_back(name(static_cast<Enum>(bit)));
  }
  return names;
}

/// The bits for `words`, by their positions in `names`.
Expected<uint32_t> BitsOf(std::span<const std::string> words, std::string_view key,
                          std::span<const std::string_view> names) {
  uint32_t bits = 0;
  for (const std::string& word : words) {
    if (Error error = CheckWord("word of " + Quoted(key), word, names)) return error;
    bits |= uint32_t{1} << (std::ranges::find(names, std::string_view(word)) - names.begin());
  }
  return bits;
}

/// Stores the bits of `words` in `into`, whatever its width.
template <typename Bits>
Error ReadBits(std::span<const std::string> words, std::string_view key,
               std::span<const std::string_view> names, Bits& into) {
  Expected<uint32_t> bits = BitsOf(words, key, names);
  if (!bits) return bits.takeError();
  into = static_cast<Bits>(*bits);
  return Error::success();
}

/// The value that a key without "_is" refers to; absent if the key is unknown.
std::optional<ValueTest> ValueOfKey(std::string_view key) {
  ValueTest test;
  if (key == "subject") return test;
  if (key == "result") {
    test.which = ValueTest::Which::kResult;
    return test;
  }
  if (key == kAnyArgumentKey) {
    test.which = ValueTest::Which::kAnyArgument;
    return test;
  }
  if (ConsumeFront(key, kKeywordKey)) {
    test.which = ValueTest::Which::kKeyword;
    test.keyword = key;
    return key.empty() ? std::nullopt : std::optional(test);
  }
  if (!ConsumeFront(key, kPositionKey)) return std::nullopt;
  const std::optional<uint32_t> position = ConsumeUint<uint32_t>(key);
  if (!position || !key.empty()) return std::nullopt;
  test.which = ValueTest::Which::kPosition;
  test.position = *position;
  return test;
}

bool IsOfSameValue(const ValueTest& a, const ValueTest& b) {
  return a.which == b.which && a.position == b.position && a.keyword == b.keyword;
}

Error ReadTraits(std::span<const std::string> words, std::string_view key, ValueTest& test) {
  std::vector<std::string> has;
  std::vector<std::string> has_not;
  for (const std::string& word : words) {
    word.front() == kNot ? has_not.push_back(word.substr(1)) : has.push_back(word);
  }
  const std::vector<std::string_view> names = BitNames(Trait::kExtra, &TraitName);
  if (Error error = ReadBits(has, key, names, test.traits)) return error;
  return ReadBits(has_not, key, names, test.not_traits);
}

/// Parses a key about how an argument was made: what it is derived from, or how it is written.
Error ReadOriginKey(std::string_view key, std::vector<std::string> words,
                    FactCondition& condition) {
  const bool asks_form = key.ends_with(kFormSuffix);
  const bool asks_text = key.ends_with(kOtherTextSuffix);
  std::string_view value_key = key;
  value_key.remove_suffix(asks_form   ? kFormSuffix.size()
                          : asks_text ? kOtherTextSuffix.size()
                                      : kOriginSuffix.size());
  const std::optional<ValueTest> test = ValueOfKey(value_key);
  const bool is_argument = test && (test->which == ValueTest::Which::kPosition ||
                                    test->which == ValueTest::Which::kKeyword ||
                                    test->which == ValueTest::Which::kAnyArgument);
  if (!is_argument) return UnknownName("key of 'where'", key, kWhereKeys);
  OriginTest& origin = condition.origins.emplace_back();
  origin.is_any = test->which == ValueTest::Which::kAnyArgument;
  origin.position = test->position;
  origin.keyword = test->keyword;
  if (asks_form) {
    return ReadBits(words, key, CountedNames(CodeForm::kSetLater, &CodeFormName), origin.forms);
  }
  (asks_text ? origin.known_texts : origin.words) = std::move(words);
  return Error::success();
}

/// Parses a key about a value.
Error ReadValueKey(std::string_view key, std::span<const std::string> words,
                   FactCondition& condition) {
  std::string_view value_key = key;
  const bool asks_traits = value_key.ends_with(kTraitSuffix);
  if (asks_traits) value_key.remove_suffix(kTraitSuffix.size());
  std::optional<ValueTest> test = ValueOfKey(value_key);
  if (!test) return UnknownName("key of 'where'", key, kWhereKeys);
  const auto same = llvm::find_if(
      condition.values, [&](const ValueTest& other) { return IsOfSameValue(other, *test); });
  ValueTest& into = same == condition.values.end() ? condition.values.emplace_back(*test) : *same;
  if (asks_traits) return ReadTraits(words, key, into);
  return ReadBits(words, key, CountedNames(ValueKind::kOutside, &ValueKindName), into.kinds);
}

void ReadNames(std::vector<std::string> words, FactCondition& condition) {
  for (std::string& word : words) {
    const bool is_glob = word.find(kAnyLetters) != std::string::npos;
    (is_glob ? condition.globs : condition.names).push_back(std::move(word));
  }
}

Error ReadKey(std::string_view key, std::vector<std::string> words, FactCondition& condition) {
  if (key == "at") {
    return ReadBits(words, key, CountedNames(FactKind::kAssert, &FactKindName), condition.at);
  }
  if (key == "use") {
    return ReadBits(words, key, CountedNames(FactUse::kMatch, &FactUseName), condition.uses);
  }
  if (key == "under" || key == "not_under") {
    return ReadBits(words, key, BitNames(kLastCondition, &RunConditionName),
                    key == "under" ? condition.under : condition.not_under);
  }
  if (key == "in") return ReadBits(words, key, kSurroundings, condition.in);
  if (key == "subject_of") {
    constexpr std::string_view kWords[] = {kSelf, "global"};
    return ReadBits(words, key, kWords, condition.subject_of);
  }
  if (key == "made_of") {
    return ReadBits(words, key, kStoreKinds, condition.made_of);
  }
  if (key == "name") {
    ReadNames(std::move(words), condition);
  } else if (key == "with") {
    condition.with = std::move(words);
  } else if (key == "without") {
    condition.without = std::move(words);
  } else if (key == "function") {
    condition.functions = std::move(words);
  } else if (key.ends_with(kOriginSuffix) || key.ends_with(kFormSuffix) ||
             key.ends_with(kOtherTextSuffix)) {
    return ReadOriginKey(key, std::move(words), condition);
  } else {
    return ReadValueKey(key, words, condition);
  }
  return Error::success();
}

/// Whether `method` is a part of the constructor of `of`: __init__ calls it, and no other method.
bool IsOfConstructor(Project& project, const SourceClass& of, FunctionId method) {
  const std::string_view name = project.function(method).name;
  bool is_called = false;
  for (const FunctionId other : of.methods) {
    const Stmt* tree = other != method ? project.Tree(other) : nullptr;
    if (tree == nullptr || !CallsOwnMethod(*tree, name)) continue;
    if (project.function(other).name != kConstructor) return false;
    is_called = true;
  }
  return is_called;
}

/// Whether `holds` is true for a method of the class of `fact` that is no part of the constructor.
/// `is_own`: it is the one with the fact.
bool HoldsForMethod(Project& project, const Fact& fact,
                    llvm::function_ref<bool(const Stmt&, bool is_own)> holds) {
  if (fact.function == kNoId) return false;
  const ClassId id = project.function(fact.function).in_class;
  if (id == kNoId) return false;
  const SourceClass& of = project.class_of(id);
  return llvm::any_of(of.methods, [&](FunctionId method) {
    if (project.function(method).name == kConstructor) return false;
    const Stmt* tree = project.Tree(method);
    return tree != nullptr && holds(*tree, method == fact.function) &&
           !IsOfConstructor(project, of, method);
  });
}

/// Whether the store of `fact` is of one of these kinds.
bool IsMadeAs(uint8_t kinds, Project& project, const Fact& fact) {
  if (fact.statement == nullptr || fact.expr == nullptr) return false;
  const auto is_asked = [&](StoreKind kind) {
    return (kinds & 1U << static_cast<uint32_t>(kind)) != 0;
  };
  if (is_asked(StoreKind::kItself) && IsMadeOfItself(*fact.statement, *fact.expr)) return true;
  const Stmt* function = project.Tree(fact.function);
  if (is_asked(StoreKind::kAppended) && function != nullptr &&
      IsAppendedToItself(*function, *fact.statement, *fact.expr)) {
    return true;
  }
  return is_asked(StoreKind::kTested) &&
         HoldsForMethod(project, fact, [&](const Stmt& method, bool is_own) {
           return IsTested(method, *fact.expr, is_own);
         });
}

/// The positional argument at `position`; null: not given.
const Value* FindPosition(const Fact& fact, uint32_t position) {
  for (size_t i = 0; i < fact.arguments.size(); ++i) {
    const bool has_keyword = i < fact.keywords.size() && !fact.keywords[i].empty();
    if (has_keyword) continue;
    if (position == 0) return &fact.arguments[i];
    --position;
  }
  return nullptr;
}

const Value* FindKeyword(const Fact& fact, std::string_view keyword) {
  for (size_t i = 0; i < std::min(fact.arguments.size(), fact.keywords.size()); ++i) {
    if (fact.keywords[i] == keyword) return &fact.arguments[i];
  }
  return nullptr;
}

/// Whether the keyword or position is given.
bool IsGiven(const Fact& fact, std::string_view word) {
  std::string_view rest = word;
  const std::optional<uint32_t> position = ConsumeUint<uint32_t>(rest);
  if (!position || !rest.empty()) return FindKeyword(fact, word) != nullptr;
  return FindPosition(fact, *position) != nullptr;
}

bool Fits(const ValueTest& test, const Value& value) {
  if (test.kinds != 0 && (test.kinds & BitOf(value.kind)) == 0) return false;
  if (test.traits != 0 && (test.traits & value.traits) == 0) return false;
  return (test.not_traits & value.traits) == 0;
}

/// The value that `test` is about; null if it is missing or does not match.
const Value* FindFitting(const ValueTest& test, const Fact& fact) {
  const Value* value = nullptr;
  switch (test.which) {
    case ValueTest::Which::kSubject:
      value = &fact.subject;
      break;
    case ValueTest::Which::kResult:
      value = &fact.result;
      break;
    case ValueTest::Which::kPosition:
      value = FindPosition(fact, test.position);
      break;
    case ValueTest::Which::kKeyword:
      value = FindKeyword(fact, test.keyword);
      break;
    case ValueTest::Which::kAnyArgument:
      value = llvm::find_if(fact.arguments, [&](const Value& one) { return Fits(test, one); });
      return value == fact.arguments.end() ? nullptr : value;
  }
  return value != nullptr && Fits(test, *value) ? value : nullptr;
}

/// The code of an argument of a call, or of the stored value; null: not given.
const Expr* ArgumentExpr(const Fact& fact, const OriginTest& test) {
  if (fact.kind != FactKind::kCall) {
    return fact.statement != nullptr ? fact.statement->value : nullptr;
  }
  if (fact.expr == nullptr) return nullptr;
  uint32_t position = test.position;
  for (const CallArgument& argument : fact.expr->arguments) {
    if (argument.keyword != test.keyword) continue;
    if (!test.keyword.empty() || position == 0) return argument.value;
    --position;
  }
  return nullptr;
}

bool Holds(const OriginTest& test, Project& project, const Fact& fact) {
  if (test.is_any) {
    if (fact.kind != FactKind::kCall || fact.expr == nullptr) return false;
    OriginTest one = test;
    one.is_any = false;
    for (size_t i = 0; i < fact.expr->arguments.size(); ++i) {
      one.keyword = fact.expr->arguments[i].keyword;
      // A number in a tensor's arithmetic is an input of the graph.
      const bool is_tensor = i < fact.arguments.size() && fact.arguments[i].IsTensor();
      if (!is_tensor && Holds(one, project, fact)) return true;
      if (one.keyword.empty()) ++one.position;
    }
    return false;
  }
  const Expr* argument = ArgumentExpr(fact, test);
  if (!test.known_texts.empty()) {
    const std::string_view text = PlainString(argument);
    return !text.empty() && !llvm::is_contained(test.known_texts, text);
  }
  if (argument == nullptr) return false;
  const Stmt* function = project.Tree(fact.function);
  // The file's own statements have no function to look for names in.
  const Stmt empty;
  if (function == nullptr) function = &empty;
  if (!test.words.empty()) return DerivesFrom(*function, *argument, test.words);
  if ((test.forms & BitOf(CodeForm::kSetLater)) != 0 &&
      HoldsForMethod(project, fact, [&](const Stmt& method, bool is_own) {
        return StoresAttributeOf(method, *argument, is_own);
      })) {
    return true;
  }
  constexpr CodeForm kForms[] = {CodeForm::kTrue, CodeForm::kStridedView, CodeForm::kNotFalse};
  return llvm::any_of(kForms, [&](CodeForm form) {
    return (test.forms & BitOf(form)) != 0 && IsWrittenAs(*function, *argument, form);
  });
}

/// self.history, self.cache.keys
bool IsPartOfSelf(const Expr* expr) {
  if (expr == nullptr || expr->kind != PythonExprKind::kAttribute) return false;
  return IsName(expr->left, kSelf) || IsPartOfSelf(expr->left);
}

bool IsGlobal(Project& project, const Fact& fact, const Expr* expr) {
  if (!IsName(expr) || fact.function == kNoId) return false;
  if (project.Resolve(fact.file, expr->text).kind != Binding::Kind::kExpression) return false;
  const Stmt* function = project.Tree(fact.function);
  return function != nullptr && !Assigns(*function, expr->text);
}

/// Whether the function has assigned the attribute before, whatever happens: `self.parts = []`.
bool IsMadeInCall(Project& project, const Fact& fact, const Expr& attribute) {
  const Stmt* function = project.Tree(fact.function);
  if (function == nullptr || !IsName(attribute.left)) return false;
  return llvm::any_of(function->body, [&](const Stmt* stmt) {
    const bool assigns = stmt->kind == StmtKind::kAssign || stmt->kind == StmtKind::kAnnotated;
    return assigns && stmt->value != nullptr && stmt->span.end <= attribute.span.begin &&
           llvm::any_of(stmt->targets, [&](const Expr* target) {
             return target->kind == PythonExprKind::kAttribute && target->text == attribute.text &&
                    IsName(target->left, attribute.left->text) && !IsMadeOfItself(*stmt, *target);
           });
  });
}

bool IsOwnedBy(uint8_t owners, Project& project, const Fact& fact) {
  const Expr* subject = SubjectOf(fact);
  return ((owners & BitOf(SubjectOwner::kSelf)) != 0 && IsPartOfSelf(subject) &&
          !IsMadeInCall(project, fact, *subject)) ||
         ((owners & BitOf(SubjectOwner::kGlobal)) != 0 && IsGlobal(project, fact, subject));
}

uint8_t SurroundingsOf(const Fact& fact) {
  uint32_t bits = 0;
  if (fact.in_loop) bits |= BitOf(FactSurrounding::kLoop);
  if (fact.in_comprehension) bits |= BitOf(FactSurrounding::kComprehension);
  if (fact.in_try) bits |= BitOf(FactSurrounding::kTry);
  if (fact.in_no_grad) bits |= BitOf(FactSurrounding::kNoGrad);
  if (fact.in_full_graph) bits |= BitOf(FactSurrounding::kFullGraph);
  return static_cast<uint8_t>(bits);
}

}  // namespace

bool FitsGlob(std::string_view glob, std::string_view name) {
  // Nearly all differ before the first star.
  while (!glob.empty() && glob.front() != kAnyLetters) {
    if (name.empty() || name.front() != glob.front()) return false;
    glob.remove_prefix(1);
    name.remove_prefix(1);
  }
  // Finds all parts in order, each as early as possible; the first at the front, the last at the
  // end.
  size_t at = 0;
  for (bool is_first = true;; is_first = false) {
    const size_t star = glob.find(kAnyLetters);
    const std::string_view part = glob.substr(0, star);
    if (star == std::string_view::npos) {
      if (is_first) return name == glob;
      return name.size() - at >= part.size() && name.ends_with(part);
    }
    const size_t found = is_first ? 0 : name.find(part, at);
    if (is_first && !name.starts_with(part)) return false;
    if (found == std::string_view::npos) return false;
    at = found + part.size();
    glob.remove_prefix(star + 1);
  }
}

Expected<FactCondition> ParseFactCondition(std::string_view json) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return MakeError("'where' has to be an object");
  FactCondition condition;
  for (const auto& [key, value] : object.items()) {
    std::vector<std::string_view> words;
    if (Error error = ReadTexts(value, key, words)) return error;
    if (Error error = ReadKey(key, {words.begin(), words.end()}, condition)) return error;
    // What a key leaves out makes a rule no more special than those it leaves it to.
    const bool excludes = key.ends_with("_is") && std::ranges::all_of(words, [](auto word) {
                            return word.starts_with('!');
                          });
    if (!excludes) ++condition.num_keys;
  }
  if (condition.at == 0) return MakeError("'where' needs 'at'");
  return condition;
}

bool HoldsUnder(const FactCondition& condition, uint16_t conditions) {
  if (condition.under != 0 && (condition.under & conditions) == 0) return false;
  return (condition.not_under & conditions) == 0;
}

bool HoldsExceptConditions(const FactCondition& condition, Project& project, const Fact& fact) {
  if ((condition.at & BitOf(fact.kind)) == 0) return false;
  if (condition.uses != 0 && (condition.uses & BitOf(fact.use)) == 0) return false;
  if ((condition.in & BitOf(FactSurrounding::kRepeated)) != 0) {
    if (!IsRepeated(project, fact)) return false;
  } else if ((condition.in & BitOf(FactSurrounding::kBranch)) != 0) {
    const Stmt* function = project.Tree(fact.function);
    if (function != nullptr && fact.expr != nullptr && !DecidesBranch(*function, *fact.expr)) {
      return false;
    }
  } else if (condition.in != 0 && (condition.in & SurroundingsOf(fact)) == 0) {
    return false;
  }
  if (!condition.functions.empty()) {
    const bool fits = fact.function != kNoId &&
                      llvm::is_contained(condition.functions, project.function(fact.function).name);
    if (!fits) return false;
  }
  const auto is_given = [&](const std::string& word) { return IsGiven(fact, word); };
  if (!condition.with.empty() && llvm::none_of(condition.with, is_given)) return false;
  if (llvm::any_of(condition.without, is_given)) return false;
  if (!llvm::all_of(condition.values,
                    [&](const ValueTest& test) { return FindFitting(test, fact) != nullptr; })) {
    return false;
  }
  if (condition.subject_of != 0 && !IsOwnedBy(condition.subject_of, project, fact)) return false;
  if (condition.made_of != 0 && !IsMadeAs(condition.made_of, project, fact)) return false;
  return llvm::all_of(condition.origins,
                      [&](const OriginTest& test) { return Holds(test, project, fact); });
}

uint8_t CertaintyOf(const FactCondition& condition, const Fact& fact) {
  uint8_t certainty = fact.certainty;
  for (const ValueTest& test : condition.values) {
    const Value* value = FindFitting(test, fact);
    if (value != nullptr) certainty = std::min(certainty, value->certainty);
  }
  return certainty;
}

uint16_t ConditionsOf(const FactCondition& condition, const Fact& fact) {
  uint16_t conditions = fact.conditions;
  for (const ValueTest& test : condition.values) {
    const Value* value = FindFitting(test, fact);
    if (value != nullptr) conditions |= value->under;
  }
  return conditions;
}

}  // namespace shapewise
