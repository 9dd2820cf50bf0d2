// All conditions: each is a file <name>_condition.cc, or a function in the file of its family, and
// one line here.

#ifndef SHAPEWISE_RULES_CONDITIONS_BUILTIN_CONDITIONS_H_
#define SHAPEWISE_RULES_CONDITIONS_BUILTIN_CONDITIONS_H_

#include <span>
#include <string_view>

#include "rules/conditions/condition.h"

// F(prefix of the name of the function ...Condition that returns it), in the order of
// analyzer/docs/adding-a-rule.md.
#define SHAPEWISE_CONDITIONS(F) \
  F(Class)                      \
  F(ValueType)                  \
  F(Pattern)                    \
  F(Use)                        \
  F(Limit)                      \
  F(StaysConstant)              \
  F(ZeroOrOne)                  \
  F(ModelSize)                  \
  F(BatchSize)                  \
  F(Repeated)                   \
  F(Hint)                       \
  F(Gb)                         \
  F(Category)                   \
  F(BreakHint)                  \
  F(TypeHas)                    \
  F(ContextHas)                 \
  F(MessageHas)                 \
  F(ErrorHas)                   \
  F(Why)                        \
  F(Action)                     \
  F(Fatal)                      \
  F(Cut)                        \
  F(SourceRoot)                 \
  F(SourceNames)                \
  F(ModuleAttribute)            \
  F(UserFileHas)                \
  F(FileHas)                    \
  F(Library)                    \
  F(Costly)                     \
  F(Divergence)                 \
  F(Stat)

namespace shapewise {

#define SHAPEWISE_DECLARE_CONDITION(name) ConditionKind name##Condition();
SHAPEWISE_CONDITIONS(SHAPEWISE_DECLARE_CONDITION)
#undef SHAPEWISE_DECLARE_CONDITION

/// All conditions, in list order: RuleCondition::kind is an index.
std::span<const ConditionKind> BuiltinConditions();

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_CONDITIONS_BUILTIN_CONDITIONS_H_
