#include "causes/culprit_key.h"

#include <limits>
#include <optional>

#include "shapewise/model/compile_number.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr uint32_t kUnknown = std::numeric_limits<uint32_t>::max();

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

GuardClass GroupOf(GuardClass guard_class, bool has_source, bool has_dim) {
  const bool is_relation =
      guard_class == GuardClass::kSymbolic || guard_class == GuardClass::kZeroOne;
  if (!is_relation) return guard_class;
  if (!has_source) return GuardClass::kSymbolic;
  return has_dim ? GuardClass::kSize : GuardClass::kInt;
}

CulpritKey CulpritKeys::KeyOf(const Reason& reason) {
  const GuardClass group =
      GroupOf(reason.guard_class, reason.source != StrId::kNone, reason.dim >= 0);
  // Whatever the words, the state is one: grad mode and autocast are left and entered together.
  if (group == GuardClass::kGlobalState || group == GuardClass::kEmpty ||
      group == GuardClass::kSymbolic) {
    return {group, 0, -1};
  }
  return {group, SourceNumber(reason.source), reason.dim};
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
