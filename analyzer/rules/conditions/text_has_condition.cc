// Conditions on substrings, case-sensitive.

#include "rules/conditions/builtin_conditions.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {

/// "type_has": the type of a break, or the class of an exception, contains one of them.
ConditionKind TypeHasCondition() {
  return {.name = "type_has", .fits = [](const Subject& subject, std::string_view word) {
            return HasText(subject.cause.type, word);
          }};
}

/// "context_has": the developer debug context contains one of them.
ConditionKind ContextHasCondition() {
  return {.name = "context_has", .fits = [](const Subject& subject, std::string_view word) {
            return HasText(subject.cause.context, word);
          }};
}

/// "message_has": the message contains one of them.
ConditionKind MessageHasCondition() {
  return {.name = "message_has", .fits = [](const Subject& subject, std::string_view word) {
            return HasText(subject.cause.message, word);
          }};
}

/// "error_has": the class, the message, or what a backend raised, contains one of them.
ConditionKind ErrorHasCondition() {
  return {.name = "error_has", .fits = [](const Subject& subject, std::string_view word) {
            return HasText(subject.cause.message, word) || HasText(subject.cause.context, word) ||
                   HasText(subject.cause.type, word);
          }};
}

/// "user_file_has": the file of the line that asked contains one of them; for a question of the
/// compiler's own, the compiler's file.
ConditionKind UserFileHasCondition() {
  return {.name = "user_file_has", .fits = [](const Subject& subject, std::string_view word) {
            return HasText(subject.cause.user.file, word);
          }};
}

/// "file_has": the compiled function's file contains one of them.
ConditionKind FileHasCondition() {
  return {.name = "file_has", .fits = [](const Subject& subject, std::string_view word) {
            return HasText(subject.cause.where.file, word);
          }};
}

}  // namespace shapewise
