#include <algorithm>
#include <string_view>

#include "rules/conditions/builtin_conditions.h"
#include "shapewise/model/source_ref.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// Names of what a program keeps and appends to.
constexpr std::string_view kKept[] = {"cache",  "past",   "kv",     "state", "history",
                                      "memory", "buffer", "tokens", "ids"};

bool IsBatchSize(const Subject& subject) {
  const Cause& cause = subject.cause;
  if (!cause.culprit || cause.culprit->guard_class != GuardClass::kSize) return false;
  if (cause.culprit->dim != 0) return false;
  const SourceRef source = ParseSource(cause.culprit->source);
  const std::string_view name = source.LastName();
  return !source.IsOfModule() &&
         std::ranges::none_of(kKept, [name](std::string_view word) { return HasText(name, word); });
}

}  // namespace

/// "batch_size": the size is probably a number of samples, as dim 0 of what a caller passes is, if
/// its name does not say that the program keeps it.
ConditionKind BatchSizeCondition() { return {.name = "batch_size", .is_true = IsBatchSize}; }

}  // namespace shapewise
