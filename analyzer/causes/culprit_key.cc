#include "causes/culprit_key.h"

#include <limits>
#include <optional>

#include "causes/compile_number.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr uint32_t kUnknown = std::numeric_limits<uint32_t>::max();

// Index of the reason of the newest entry among those that `fits`; absent if there is none. Without
// entry ids the first printed is the newest.
template <typename Fits>
std::optional<size_t> NewestOf(const Session& session, const std::vector<ReasonId>& reasons,
                               const Fits& fits) {
  std::optional<size_t> newest;
  std::optional<uint32_t> newest_compile;
  for (size_t i = 0; i < reasons.size(); ++i) {
    const Reason& reason = session.reason(reasons[i]);
    if (!fits(reason)) continue;
    const std::optional<CompileNumber> entry = ParseCompileNumber(session.text(reason.entry));
    const bool is_newer = entry && (!newest_compile || entry->compile > *newest_compile);
    if (newest && !is_newer) continue;
    newest = i;
    if (entry) newest_compile = entry->compile;
  }
  return newest;
}

// The length of `L['name']` at the front of `text`; 0 if there is none.
size_t LocalLength(std::string_view text) {
  if (!text.starts_with("L['") && !text.starts_with("L[\"")) return 0;
  const char quote = text[2];
  size_t end = 3;
  while (end < text.size() && IsWordChar(text[end])) ++end;
  if (end == 3 || end + 1 >= text.size() || text[end] != quote || text[end + 1] != ']') return 0;
  return end + 2;
}

}  // namespace

std::string NormalizeSource(std::string_view source) {
  std::string normalized;
  normalized.reserve(source.size());
  char previous = ' ';
  while (!source.empty()) {
    // SYNTHETIC_LOCAL['x'] ends in L['x'], too, but is no local.
    const size_t local_length = IsWordChar(previous) ? 0 : LocalLength(source);
    if (local_length > 0) {
      constexpr size_t kBefore = std::string_view("L['").size();
      normalized += source.substr(kBefore, local_length - kBefore - std::string_view("']").size());
      previous = ']';
      source.remove_prefix(local_length);
      continue;
    }
    previous = source.front();
    if (!IsBlankChar(previous)) normalized += previous == '"' ? '\'' : previous;
    source.remove_prefix(1);
  }
  return normalized;
}

uint32_t CulpritKeys::SourceNumber(StrId source) {
  if (source == StrId::kNone) return 0;
  const size_t index = static_cast<size_t>(source);
  if (index >= number_of_text_.size()) number_of_text_.resize(index + 1, kUnknown);
  uint32_t& number = number_of_text_[index];
  if (number == kUnknown) {
    const uint32_t next = static_cast<uint32_t>(numbers_.size()) + 1;
    number = numbers_.try_emplace(NormalizeSource(session_.text(source)), next).first->second;
  }
  return number;
}

CulpritKey CulpritKeys::KeyOf(const Reason& reason) {
  switch (reason.guard_class) {
    // Whatever the words, the state is one: grad mode and autocast are left and entered together.
    case GuardClass::kGlobalState:
    case GuardClass::kEmpty:
      return {reason.guard_class, 0, -1};
    case GuardClass::kSize:
      return {GuardClass::kSize, SourceNumber(reason.source), reason.dim};
    case GuardClass::kInt:
      return {GuardClass::kInt, SourceNumber(reason.source), reason.dim};
    case GuardClass::kZeroOne:
      if (reason.source == StrId::kNone) return {GuardClass::kSymbolic, 0, -1};
      return {GuardClass::kZeroOne, SourceNumber(reason.source), reason.dim};
    case GuardClass::kSymbolic:
      if (reason.source == StrId::kNone) return {GuardClass::kSymbolic, 0, -1};
      return {reason.dim >= 0 ? GuardClass::kSize : GuardClass::kInt, SourceNumber(reason.source),
              reason.dim};
    default:
      return {reason.guard_class, SourceNumber(reason.source), reason.dim};
  }
}

bool TellsMore(GuardClass a, GuardClass b) {
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

size_t NewestReason(const Session& session, const std::vector<ReasonId>& reasons) {
  return *NewestOf(session, reasons, [](const Reason&) { return true; });
}

size_t BlamedReason(const Session& session, CulpritKeys& keys,
                    const std::vector<ReasonId>& reasons) {
  const size_t newest = NewestReason(session, reasons);
  const Reason& special = session.reason(reasons[newest]);
  const std::string_view expected = session.text(special.expected);
  const bool is_special_size =
      special.guard_class == GuardClass::kSize && (expected == "0" || expected == "1");
  if (!is_special_size) return newest;

  const CulpritKey key = keys.KeyOf(special);
  const auto asks_of_same_dim = [&](const Reason& reason) {
    const bool is_symbolic =
        reason.guard_class == GuardClass::kSymbolic || reason.guard_class == GuardClass::kZeroOne;
    if (!is_symbolic || reason.source == StrId::kNone) return false;
    const CulpritKey other = keys.KeyOf(reason);
    return other.source == key.source && other.dim == key.dim;
  };
  return NewestOf(session, reasons, asks_of_same_dim).value_or(newest);
}

}  // namespace shapewise
