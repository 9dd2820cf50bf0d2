// Conditions on the source of the culprit. None holds without a culprit.

#include <algorithm>

#include "rules/conditions/builtin_conditions.h"
#include "shapewise/model/source_ref.h"

namespace shapewise {
namespace {

SourceRef SourceOf(const Subject& subject) {
  return subject.cause.culprit ? ParseSource(subject.cause.culprit->source) : SourceRef();
}

}  // namespace

/// "module_attribute": the culprit is an attribute of a module, or of anything called `self`.
ConditionKind ModuleAttributeCondition() {
  return {.name = "module_attribute",
          .is_true = [](const Subject& subject) { return SourceOf(subject).IsOfModule(); }};
}

/// "source_root": the kind of the variable at the start of the source.
ConditionKind SourceRootCondition() {
  return {
      .name = "source_root",
      .known_words = [] { return NamesUpTo(SourceRef::Root::kCall, &SourceRootName); },
      .fits = [](const Subject& subject,
                 std::string_view word) { return SourceRootName(SourceOf(subject).root) == word; }};
}

/// "source_names": the name of a variable, attribute or key in the source.
ConditionKind SourceNamesCondition() {
  return {.name = "source_names", .fits = [](const Subject& subject, std::string_view word) {
            const SourceRef source = SourceOf(subject);
            return source.name == word || std::ranges::any_of(source.path, [&](SourceStep step) {
                     return step.name == word;
                   });
          }};
}

}  // namespace shapewise
