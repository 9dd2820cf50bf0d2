#include "causes/value_history.h"

#include "causes/culprit_key.h"
#include "causes/relation_value.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Whether `expected` of a class is a value at all. For a relation it is a bound or a remainder.
bool ExpectsValue(GuardClass guard_class) {
  return guard_class != GuardClass::kSymbolic && guard_class != GuardClass::kZeroOne &&
         guard_class != GuardClass::kGlobalState && guard_class != GuardClass::kEmpty;
}

// The actual value, if the text contains only the expected one but there is exactly one other
// state.
std::string_view OtherState(std::string_view expected) {
  if (expected == "True") return "False";
  if (expected == "False") return "True";
  if (expected == "None") return "not None";
  if (expected == "not None") return "None";
  return {};
}

}  // namespace

void ValueHistory::Add(const Session& session, const Reason& reason, std::optional<uint32_t> entry,
                       uint32_t compile) {
  std::string_view expected =
      ExpectsValue(reason.guard_class) ? Trim(session.text(reason.expected)) : std::string_view();
  std::string_view actual = Trim(session.text(reason.actual));
  if (IsMissingTensor(session, reason)) {
    expected = "not None";
    actual = "None";
  }
  if (actual.empty()) actual = OtherState(expected);
  if (actual.empty() && !expected.empty()) others_[std::string(expected)].insert(compile);
  std::string solved;
  if (reason.guard_class == GuardClass::kSymbolic && reason.dim < 0) {
    solved = ValueInRelation(session.text(reason.guard), session.text(reason.source));
    expected = solved;
  }
  if (entry && !expected.empty()) {
    values_.try_emplace(*entry, expected);
    constant_in_.insert(*entry);
  }
  // A reason without its entry, as in a shortened log, is still one about an earlier entry.
  if (!entry && !expected.empty() && values_.empty()) {
    values_.try_emplace(compile - 1, expected);
  }
  if (!actual.empty()) values_.try_emplace(compile, actual);
  if (entry && reason.guard_class == GuardClass::kIdentity) {
    identities_.try_emplace(*entry, reason.guard);
  }
}

std::optional<bool> ValueHistory::Agree(uint32_t a, uint32_t b) const {
  const std::string_view value = ValueOf(a);
  const std::string_view other = ValueOf(b);
  if (!value.empty() && !other.empty()) return value == other;
  const auto identity = identities_.find(a);
  const auto other_identity = identities_.find(b);
  if (identity == identities_.end() || other_identity == identities_.end()) return std::nullopt;
  return identity->second == other_identity->second;
}

bool ValueHistory::Alternates() const {
  std::map<std::string_view, uint32_t> latest;  // the compile with this value
  std::string_view last;
  for (const auto& [compile, value] : values_) {
    const auto before = latest.find(value);
    if (before != latest.end()) {
      if (value != last) return true;
      const auto others = others_.find(value);
      if (others != others_.end()) {
        const auto other = others->second.upper_bound(before->second);
        if (other != others->second.end() && *other < compile) return true;
      }
    }
    latest[value] = compile;
    last = value;
  }
  return false;
}

bool ValueHistory::BecomesNone() const {
  bool was_there = false;
  for (const auto& [compile, value] : values_) {
    if (value == "None" && was_there) return true;
    was_there |= value == "not None";
  }
  return false;
}

std::string_view ValueHistory::ValueOf(uint32_t compile) const {
  const auto found = values_.find(compile);
  return found == values_.end() ? std::string_view() : std::string_view(found->second);
}

std::vector<std::string_view> ValuesInOrder(const ValueHistories& histories) {
  std::vector<std::string_view> values;
  for (const ValueHistory* history : histories) {
    for (const auto& [compile, value] : history->values()) {
      if (values.empty() || values.back() != value) values.push_back(value);
    }
  }
  return values;
}

}  // namespace shapewise
