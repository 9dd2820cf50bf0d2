// The "where" of a rule about code: which facts it matches (analyzer/docs/check.md lists the keys).

#ifndef SHAPEWISE_CHECK_FACT_CONDITION_H_
#define SHAPEWISE_CHECK_FACT_CONDITION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/fact.h"
#include "support/error.h"

namespace shapewise {

/// A test of one value of a fact.
struct ValueTest {
  enum class Which : uint8_t { kSubject, kResult, kPosition, kKeyword, kAnyArgument };

  Which which = Which::kSubject;
  uint32_t position = 0;    ///< kPosition: counted from 0, without the receiver
  std::string keyword;      ///< kKeyword
  uint32_t kinds = 0;       ///< bits of ValueKind, one of which must match; 0: any kind
  uint16_t traits = 0;      ///< Trait: one of which it must have; 0: any
  uint16_t not_traits = 0;  ///< Trait: none of which it may have
};

/// A test of how an argument was made.
struct OriginTest {
  bool is_any = false;    ///< any argument
  uint32_t position = 0;  ///< of the argument, if `keyword` is empty
  std::string keyword;
  std::vector<std::string> words;        ///< DerivesFrom one of these; empty: not tested
  std::vector<std::string> known_texts;  ///< it is a text, and none of these; empty: not tested
  uint32_t forms = 0;                    ///< bits of CodeForm, one of which must match; 0: any
};

/// What keeps the receiver from one call to the next.
enum class SubjectOwner : uint8_t {
  kSelf,    ///< it is an attribute of self
  kGlobal,  ///< it is a name that only the file's own statements assign
};

/// How a store relates to the value before it.
enum class StoreKind : uint8_t {
  kItself,    ///< the stored value is computed from it
  kTested,    ///< an if or while before the store asks for it
  kAppended,  ///< something is appended to it
};

/// One "where", parsed.
struct FactCondition {
  uint32_t at = 0;                     ///< bits of FactKind
  uint32_t uses = 0;                   ///< bits of FactUse; 0: any
  std::vector<std::string> names;      ///< without '*'
  std::vector<std::string> globs;      ///< names with '*'
  std::vector<ValueTest> values;       ///< all have to hold
  std::vector<OriginTest> origins;     ///< all have to hold
  uint8_t subject_of = 0;              ///< bits of SubjectOwner, one of which must match; 0: any
  uint8_t made_of = 0;                 ///< bits of StoreKind, one of which must match; 0: any
  std::vector<std::string> with;       ///< keywords and positions, one of which must be given
  std::vector<std::string> without;    ///< keywords and positions, none of which may be given
  uint8_t in = 0;                      ///< bits of FactSurrounding, one of which must match; 0: any
  uint16_t under = 0;                  ///< RunCondition: one of which must match; 0: any
  uint16_t not_under = 0;              ///< RunCondition: none of which may match
  std::vector<std::string> functions;  ///< names of functions; empty: any
  size_t num_keys = 0;                 ///< number of keys in the "where" that do more than exclude
};

/// Whether `name` matches `glob`, in which a '*' matches any letters, including none.
bool FitsGlob(std::string_view glob, std::string_view name);

/// Parses a JSON object. Errors name the key and, for a misspelt word, the nearest known one.
Expected<FactCondition> ParseFactCondition(std::string_view json);

/// Whether code under these RunConditions matches `under` and `not_under`.
bool HoldsUnder(const FactCondition& condition, uint16_t conditions);

/// Whether `fact` matches everything except names and globs, `under` and `not_under`.
bool HoldsExceptConditions(const FactCondition& condition, Project& project, const Fact& fact);

/// Confidence, in per cent, that the values tested by `condition` have the expected kinds.
uint8_t CertaintyOf(const FactCondition& condition, const Fact& fact);

/// The RunConditions of `fact`, and those under which the values tested by `condition` have the
/// expected kinds.
uint16_t ConditionsOf(const FactCondition& condition, const Fact& fact);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FACT_CONDITION_H_
