#include "rules/conditions/builtin_conditions.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {

/// "module_attribute": the culprit is an attribute of a module, or of what else is called `self`.
/// Never holds without a culprit.
ConditionKind ModuleAttributeCondition() {
  return {.name = "module_attribute", .is_true = [](const Subject& subject) {
            if (!subject.cause.culprit) return false;
            const std::string& source = subject.cause.culprit->source;
            return source.starts_with("self") || source.starts_with("L['self']") ||
                   HasText(source, "_modules[");
          }};
}

}  // namespace shapewise
