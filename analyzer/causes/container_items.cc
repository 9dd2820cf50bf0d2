#include "causes/container_items.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "causes/value_use.h"
#include "model/source_ref.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Whether only tensors have such guards.
bool IsOfTensor(GuardClass guard_class) {
  return guard_class <= GuardClass::kDispatchKeys || guard_class == GuardClass::kZeroOne;
}

/// Adds the first printed line that takes another path where one of `names` is missing ("asked").
void AddAsked(const Session& session, const ReasonsByGuard& reasons,
              const std::set<std::string_view>& names, Cause& cause) {
  for (const auto& [key, reason] : reasons) {
    const std::string_view code = Trim(session.text(reason->code));
    const bool asks = std::ranges::any_of(
        names, [code](std::string_view name) { return AsksPresence(code, name); });
    if (!asks) continue;
    cause.facts.emplace_back("asked", code);
    return;
  }
}

}  // namespace

std::optional<ListItem> ParseListItem(std::string_view source) {
  constexpr size_t kMaxDigits = 4;
  for (size_t close = source.rfind(']'); close != kNotFound && close > 0;
       close = source.rfind(']', close - 1)) {
    const size_t open = source.rfind('[', close);
    if (open == kNotFound) return std::nullopt;
    std::string_view digits = source.substr(open + 1, close - open - 1);
    const bool is_short = !digits.empty() && digits.size() <= kMaxDigits;
    if (!is_short || !std::ranges::all_of(digits, IsDigit)) continue;
    return ListItem{std::string(source.substr(0, open)), *ConsumeUint<size_t>(digits),
                    std::string(source.substr(close + 1))};
  }
  return std::nullopt;
}

std::string ItemsOf(const ListItem& item) {
  const std::string list = SpellSources(item.list, SourceSpelling::kPython);
  return item.part.empty() ? "list(" + list + ")"
                           : "[item" + item.part + " for item in " + list + "]";
}

void DescribeItems(const Session& session, const ReasonsByGuard& reasons, Cause& cause) {
  const GuardClass own_class = cause.culprit->guard_class;
  if (own_class != GuardClass::kLength && own_class != GuardClass::kKeys) return;
  std::string container = NameOfSource(cause.culprit->source);
  // A missing key is printed as an item: "KeyError on kwargs['mask']".
  const size_t key_begin = container.rfind("['");
  if (own_class == GuardClass::kKeys && container.ends_with("']")) {
    container.resize(key_begin);
  }
  // By convention, the keyword arguments of a function.
  cause.is_mapping = container.ends_with("kwargs");
  std::set<std::string_view> keys;
  std::string tensor_list;
  std::string item_list;
  int32_t inner_dim = 0;  // of an item; one behind dim 0 cannot be padded with pad_sequence
  for (const auto& [key, reason] : reasons) {
    const std::string name = NameOfSource(session.text(reason->source));
    if (!name.starts_with(container)) continue;
    std::string_view item = std::string_view(name).substr(container.size());
    const bool is_of_key = item.starts_with("['");
    cause.is_mapping |= is_of_key;
    if (const auto of_list = ParseListItem(name); of_list && of_list->list == container) {
      const bool is_tensor = IsOfTensor(reason->guard_class);
      if (is_tensor && of_list->part.empty())
        tensor_list = SpellSources(container, SourceSpelling::kPython);
      if (reason->guard_class == GuardClass::kSize) {
        item_list = ItemsOf(*of_list);
        inner_dim = std::max(inner_dim, reason->dim);
      }
    }
    cause.has_uneven_items |= item.starts_with('[') && reason->guard_class == GuardClass::kSize;
    if (reason->guard_class != GuardClass::kKeys) continue;
    // "list(dict.keys(feats))[0] == 'audio'"
    cause.is_mapping |= item.empty() && reason->value_type == PythonType::kDict;
    // "KeyError on kwargs['mask']", "not ___dict_contains('mask', kwargs)", "'mask' in kwargs"
    std::string_view guard = session.text(reason->guard);
    ConsumeFront(guard, "not ");
    ConsumeFront(guard, "KeyError on ");
    const bool is_of_one =
        is_of_key || guard.starts_with('\'') || guard.starts_with("___dict_contains(");
    if (!is_of_one || (!is_of_key && !item.empty())) continue;
    const std::string_view quoted = guard.substr(std::min(guard.size(), guard.find('\'')));
    const std::string_view word = TextBetween(quoted, "'", "'");
    if (!word.empty()) keys.insert(word);
    cause.is_mapping = true;
  }
  if (cause.is_mapping) {
    cause.facts.emplace_back("container", container);
  } else {
    if (!tensor_list.empty()) cause.facts.emplace_back("tensor_list", std::move(tensor_list));
    if (inner_dim > 0) {
      cause.facts.emplace_back("item_dim", "dim " + std::to_string(inner_dim));
    } else if (!item_list.empty()) {
      cause.facts.emplace_back("item_list", std::move(item_list));
    }
  }
  if (cause.is_mapping && !keys.empty()) {
    cause.facts.emplace_back("keys", Joined(keys, ", "));
    AddAsked(session, reasons, keys, cause);
  }
}

void DescribeMissing(const Session& session, const ReasonsByGuard& reasons, Cause& cause) {
  AddAsked(session, reasons, {ParseSource(cause.culprit->source).LastName()}, cause);
}

}  // namespace shapewise
