#include "rules/conditions/builtin_conditions.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {

/// "break_hint": PyTorch gives this kind of advice for the break; the letters of registry.json.
/// Never holds for a break that the registry does not contain.
ConditionKind BreakHintCondition() {
  return {.name = "break_hint", .fits = [](const Subject& subject, std::string_view word) {
            return subject.entry != nullptr && HasText(subject.entry->hint, word);
          }};
}

}  // namespace shapewise
