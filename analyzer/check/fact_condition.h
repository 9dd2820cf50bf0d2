// The "where" of a rule over code: which facts it speaks of (analyzer/docs/check.md has the keys).

#ifndef SHAPEWISE_CHECK_FACT_CONDITION_H_
#define SHAPEWISE_CHECK_FACT_CONDITION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/source/fact.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// What is asked of one value of a fact.
struct ValueTest {
  enum class Which : uint8_t { kSubject, kResult, kPosition, kKeyword, kAnyArgument };

  Which which = Which::kSubject;
  uint32_t position = 0;    ///< kPosition: counted from 0, without the receiver
  std::string keyword;      ///< kKeyword
  uint32_t kinds = 0;       ///< bits of ValueKind, one of which it has; 0: any kind
  uint16_t traits = 0;      ///< Trait: one of which it has; 0: any
  uint16_t not_traits = 0;  ///< Trait: none of which it has
};

/// What is asked of how an argument was made.
struct OriginTest {
  uint32_t position = 0;  ///< of the argument, if `keyword` is empty
  std::string keyword;
  std::vector<std::string> words;  ///< ComesFrom one of these; empty: not asked
  uint32_t forms = 0;              ///< bits of CodeForm, as one of which it is written; 0: any
};

/// One "where", read.
struct FactCondition {
  uint32_t at = 0;                     ///< bits of FactKind
  uint32_t uses = 0;                   ///< bits of FactUse; 0: any
  std::vector<std::string> names;      ///< without '*'
  std::vector<std::string> globs;      ///< names with '*'
  std::vector<ValueTest> values;       ///< all have to hold
  std::vector<OriginTest> origins;     ///< all have to hold
  bool subject_of_self = false;        ///< the receiver is an attribute of the object itself
  bool made_of_itself = false;         ///< what is stored is made of what was there
  std::vector<std::string> with;       ///< keywords and positions, one of which is given
  std::vector<std::string> without;    ///< keywords and positions, none of which is given
  uint8_t in = 0;                      ///< bits of FactSurrounding, one of which holds; 0: any
  uint16_t under = 0;                  ///< RunCondition: one of which holds; 0: any
  uint16_t not_under = 0;              ///< RunCondition: none of which holds
  std::vector<std::string> functions;  ///< names of functions; empty: any
  size_t num_keys = 0;                 ///< that the "where" has
};

/// Whether `name` is `glob`, in which a '*' stands for any letters, none included.
bool FitsGlob(std::string_view glob, std::string_view name);

/// Reads a JSON object. Errors name the key, and for a misspelt word the nearest that is known.
Expected<FactCondition> ParseFactCondition(std::string_view json);

/// Whether all but `names` and `globs` holds of `fact`.
bool HoldsButForName(const FactCondition& condition, Project& project, const Fact& fact);

/// How sure it is, in per cent, that the values that `condition` asks of are of their kinds.
uint8_t CertaintyOf(const FactCondition& condition, const Fact& fact);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FACT_CONDITION_H_
