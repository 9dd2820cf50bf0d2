// What varied, as a noun for the messages of rules.

#ifndef SHAPEWISE_RULES_CULPRIT_TEXT_H_
#define SHAPEWISE_RULES_CULPRIT_TEXT_H_

#include <string>
#include <string_view>

#include "causes/cause.h"
#include "model/dispatch_keys.h"

namespace shapewise {

/// The culprit's source; of the code of a function, the function. Empty: there is no culprit.
std::string CallableText(const Cause& cause);

/// The culprit's source with what it is: "the global COUNT", "the attribute q.step".
std::string VariableText(const Cause& cause);

/// What differs about the culprit: "the length of x".
std::string SubjectText(const Cause& cause);

/// What differs between two sets of dispatch keys; empty: not known.
std::string_view TensorKindText(TensorKind kind);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_CULPRIT_TEXT_H_
