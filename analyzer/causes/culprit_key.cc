#include "causes/culprit_key.h"

#include <limits>
#include <optional>

#include "causes/relation_value.h"
#include "model/compile_number.h"
#include "model/python_text.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr uint32_t kUnknown = std::numeric_limits<uint32_t>::max();

}  // namespace

uint32_t CulpritKeys::SourceNumber(StrId source) {
  if (source == StrId::kNone) return 0;
  const size_t index = static_cast<size_t>(source);
  if (index >= number_of_text_.size()) number_of_text_.resize(index + 1, kUnknown);
  uint32_t& number = number_of_text_[index];
  if (number == kUnknown) {
    const uint32_t next = static_cast<uint32_t>(numbers_.size()) + 1;
    number =
        numbers_.try_emplace(SpellSources(session_.text(source), SourceSpelling::kReason), next)
            .first->second;
  }
  return number;
}

GuardClass GroupOf(GuardClass guard_class, bool has_source, bool has_dim) {
  if (!IsRelation(guard_class)) return guard_class;
  if (!has_source) return GuardClass::kSymbolic;
  return has_dim ? GuardClass::kSize : GuardClass::kInt;
}

bool IsMissingTensor(const Session& session, const Reason& reason) {
  return reason.guard_class == GuardClass::kType && reason.value_type == PythonType::kTensor &&
         session.text(reason.actual) == "<class 'NoneType'>";
}

CulpritKey CulpritKeys::KeyOf(const Reason& reason) {
  if (IsMissingTensor(session_, reason)) {
    return {GuardClass::kNone, SourceNumber(reason.source), reason.dim};
  }
  const GuardClass group =
      GroupOf(reason.guard_class, reason.source != StrId::kNone, reason.dim >= 0);
  // The wording differs but the state is the same: grad mode and autocast change together.
  if (group == GuardClass::kGlobalState || group == GuardClass::kEmpty ||
      group == GuardClass::kSymbolic) {
    return {group, 0, -1};
  }
  const bool is_float = group == GuardClass::kFloat;
  return {is_float ? GuardClass::kInt : group, SourceNumber(reason.source), reason.dim};
}

bool IsMoreSpecific(GuardClass a, GuardClass b) {
  const auto weight = [](GuardClass guard_class) {
    switch (guard_class) {
      case GuardClass::kZeroOne:
        return 0;
      case GuardClass::kSymbolic:
        return 1;
      default:
        return 2;
    }
  };
  return weight(a) > weight(b);
}

bool FixesQuotient(std::string_view guard) {
  const std::string_view relation = guard.substr(0, guard.find(" == "));
  const size_t quotient = relation.rfind("//");
  if (relation.size() == guard.size() || quotient == kNotFound) return false;
  const size_t remainder = relation.rfind('%');
  const std::string_view value = guard.substr(relation.size() + 4);
  // "8*(x.size()[0] // 8) == x.size()[0]" asks whether it can be divided.
  return (remainder == kNotFound || remainder < quotient) && IsAllDigits(value) &&
         PeriodOfAnswer(guard) == 0;
}

size_t NewestReason(const Session& session, const std::vector<ReasonId>& reasons) {
  size_t newest = 0;
  std::optional<uint32_t> newest_compile;
  for (size_t i = 0; i < reasons.size(); ++i) {
    const std::optional<CompileNumber> entry =
        ParseCompileNumber(session.text(session.reason(reasons[i]).entry));
    if (!entry || (newest_compile && entry->compile <= *newest_compile)) continue;
    newest = i;
    newest_compile = entry->compile;
  }
  return newest;
}

}  // namespace shapewise
