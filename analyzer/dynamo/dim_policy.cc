#include "dynamo/dim_policy.h"

#include <algorithm>
#include <charconv>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

namespace shapewise {
namespace {

/// Converts a Python regular expression to a POSIX one, as far as names of sources need it.
std::string ToPosix(std::string_view pattern) {
  std::string result = "^(";
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] == '\\' && next == 'd') {
      result += "[0-9]";
      ++i;
    } else if (pattern[i] == '\\' && next == 'w') {
      result += "[A-Za-z0-9_]";
      ++i;
    } else if (pattern[i] == '\\' && next != '\0') {
      result += pattern.substr(i, 2);
      ++i;
    } else if (pattern.substr(i, 3) == "(?:") {
      result += '(';
      i += 2;
    } else {
      result += pattern[i];
    }
  }
  return result + ")";
}

}  // namespace

SourceList::SourceList(std::string_view text) {
  std::string without_spaces(text);
  std::erase(without_spaces, ' ');
  llvm::SmallVector<llvm::StringRef, 4> entries;
  llvm::StringRef(without_spaces).split(entries, ',', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef entry : entries) {
    Pattern pattern{.text = entry.str(), .dim = std::nullopt};
    const auto [name, number] = entry.rsplit(':');
    size_t dim = 0;
    if (!name.empty() && !number.empty() && !number.getAsInteger(10, dim)) {
      pattern = {.text = name.str(), .dim = dim};
    }
    patterns_.push_back(std::move(pattern));
  }
}

bool SourceList::Matches(const Pattern& pattern, std::string_view source) {
  if (pattern.text == source) return true;
  const llvm::Regex regex(ToPosix(pattern.text));
  return regex.isValid() && regex.match(llvm::StringRef(source.data(), source.size()));
}

bool SourceList::Names(std::string_view source) const {
  return std::ranges::any_of(patterns_,
                             [&](const Pattern& pattern) { return Matches(pattern, source); });
}

bool SourceList::NamesDim(std::string_view source, size_t dim) const {
  return std::ranges::any_of(patterns_, [&](const Pattern& pattern) {
    return (!pattern.dim || *pattern.dim == dim) && Matches(pattern, source);
  });
}

ReadPolicy::ReadPolicy(const CompilePolicy& given)
    : policy(given),
      dynamic_sources(given.dynamic_sources),
      unbacked_sources(given.unbacked_sources) {}

bool ReadPolicy::IsAutomatic() const {
  return policy.automatic_dynamic_shapes && policy.dynamic != DynamicOption::kFalse;
}

DimPlan PlanDim(const ReadPolicy& policy, std::string_view source, const InputTensor& tensor,
                size_t dim, bool seeded, SourceProfile& profile) {
  const auto has_mark = [&](MarkKind kind) {
    return tensor.marks != nullptr && tensor.marks->Has(kind, dim);
  };
  const bool is_marked = has_mark(MarkKind::kDynamic);
  if (is_marked || seeded) profile.MarkDynamic(dim, tensor.sizes.size());

  const bool is_unbacked_source = policy.unbacked_sources.NamesDim(source, dim);
  const bool is_size_automatic = (policy.IsAutomatic() && profile.IsSizeDynamic(dim)) ||
                                 policy.dynamic_sources.NamesDim(source, dim) || is_unbacked_source;
  const bool is_stride_automatic = policy.IsAutomatic() && profile.IsStrideDynamic(dim);
  const bool is_automatic = is_size_automatic || is_stride_automatic;

  DimPlan plan;
  if (is_marked && !policy.policy.allow_ignore_mark_dynamic) {
    const DimMark& mark = *tensor.marks->Find(MarkKind::kDynamic, dim);
    plan.demand = mark.min || mark.max ? DimDemand::kRange : DimDemand::kHard;
    plan.has_half_range = mark.min.has_value() != mark.max.has_value();
    plan.min = mark.min.value_or(0);
    plan.max = mark.max.value_or(0);
  } else if (!has_mark(MarkKind::kStatic) && is_automatic) {
    if (is_size_automatic) plan.demand = DimDemand::kSoft;
    plan.has_dynamic_stride = is_stride_automatic;
  }

  if (has_mark(MarkKind::kUnbacked) || is_unbacked_source) {
    plan.size = DimChoice::kUnbacked;
  } else if (plan.demand != DimDemand::kNone || is_marked || has_mark(MarkKind::kMaybe)) {
    plan.size = is_automatic ? policy.AutomaticChoice() : DimChoice::kDynamic;
  } else if (policy.IsStaticByDefault() || has_mark(MarkKind::kStatic)) {
    plan.size = DimChoice::kStatic;
  } else {
    plan.size = DimChoice::kDuck;
  }
  return plan;
}

}  // namespace shapewise
