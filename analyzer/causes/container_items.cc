#include "causes/container_items.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "causes/culprit_key.h"
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

/// The words of `text`; each is a run of letters, digits and '_'.
std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t begin = i;
    while (i < text.size() && IsWordChar(text[i])) ++i;
    if (i > begin) words.push_back(text.substr(begin, i - begin));
  }
  return words;
}

/// The number that a guard on a key by its position shows, as code that iterates over a dict has
/// them: "list(dict.keys(states))[0] == 17".
std::string_view NumberKeyIn(std::string_view guard) {
  constexpr std::string_view kEquals = "] == ";
  const size_t equals = FindText(guard, kEquals);
  if (!guard.starts_with("list(dict.keys(") || equals == kNotFound) return {};
  const std::string_view key = Trim(guard.substr(equals + kEquals.size()));
  return ParseNumber(key) ? key : std::string_view();
}

void AddAsked(std::string_view line, Cause& cause) {
  if (!line.empty()) cause.facts.emplace_back("asked", line);
}

/// "lens[0][1]", a number that is guarded as an item of `container`, or of another list next to it:
/// the guards of "lens[1]" may show only those of "lens[0]".
std::string NumberIn(const Session& session, ReasonIndex& reasons, std::string_view container) {
  const auto of_list = ParseListItem(container);
  const bool has_neighbours = of_list && of_list->part.empty();
  for (const Reason* const reason :
       reasons.WithPrefix(has_neighbours ? std::string_view(of_list->list) : container)) {
    if (reason->guard_class != GuardClass::kInt && reason->guard_class != GuardClass::kFloat)
      continue;
    const std::string name = NameOfSource(session.text(reason->source));
    const auto item = ParseListItem(name);
    if (!item || !item->part.empty()) continue;
    const auto inner = ParseListItem(item->list);
    const bool is_of_neighbour =
        has_neighbours && inner && inner->part.empty() && inner->list == of_list->list;
    if (item->list == container || is_of_neighbour) {
      return SpellSources(name, SourceSpelling::kPython);
    }
  }
  return {};
}

}  // namespace

void ReasonIndex::Read() {
  if (!lines_and_reasons_.empty()) return;
  std::set<std::string_view> known;
  for (const auto& [key, reason] : reasons_) {
    const size_t index = lines_and_reasons_.size();
    const std::string_view line = Trim(session_.text(reason->code));
    lines_and_reasons_.emplace_back(line, reason);
    by_name_.emplace(NameOfSource(session_.text(reason->source)), index);
    if (!known.insert(line).second) continue;
    for (const std::string_view word : WordsOf(line)) by_word_[word].push_back(index);
  }
}

std::vector<const Reason*> ReasonIndex::WithPrefix(std::string_view name) {
  Read();
  std::vector<size_t> indices;
  for (auto found = by_name_.lower_bound(std::string(name));
       found != by_name_.end() && found->first.starts_with(name); ++found) {
    indices.push_back(found->second);
  }
  std::ranges::sort(indices);
  std::vector<const Reason*> reasons;
  for (const size_t index : indices) reasons.push_back(lines_and_reasons_[index].second);
  return reasons;
}

std::string_view ReasonIndex::FirstAsking(const std::set<std::string_view>& names) {
  Read();
  size_t first = lines_and_reasons_.size();
  for (const std::string_view name : names) {
    const std::vector<std::string_view> words = WordsOf(name);
    const auto found = words.empty() ? by_word_.end() : by_word_.find(words.front());
    if (found == by_word_.end()) continue;
    const auto line = std::ranges::find_if(found->second, [&](size_t index) {
      return AsksPresence(lines_and_reasons_[index].first, name);
    });
    if (line != found->second.end()) first = std::min(first, *line);
  }
  return first < lines_and_reasons_.size() ? lines_and_reasons_[first].first : std::string_view();
}

std::string ReasonIndex::FlagDefaults(const std::set<std::string_view>& names) {
  Read();
  std::vector<std::string> items;
  for (const std::string_view name : names) {
    const auto found = by_word_.find(name);
    if (found == by_word_.end()) return {};
    std::string_view flag;
    for (const size_t index : found->second) {
      const std::string_view line = lines_and_reasons_[index].first;
      if (AsksPresence(line, name)) return {};
      if (flag.empty()) flag = FlagDefault(line, name);
    }
    if (flag.empty()) return {};
    items.push_back("\"" + std::string(name) + "\": " + std::string(flag));
  }
  return Joined(items, ", ");
}

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

void DescribeItems(const Session& session, ReasonIndex& reasons, Cause& cause) {
  constexpr size_t kMaxNumberKeys = 3;
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
  std::vector<std::string_view> number_keys;  // the first few
  std::string tensor_list;
  std::string item_list;
  int32_t inner_dim = 0;  // of an item; one behind dim 0 cannot be padded with pad_sequence
  for (const Reason* const reason : reasons.WithPrefix(container)) {
    const std::string name = NameOfSource(session.text(reason->source));
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
    if (const std::string_view number = NumberKeyIn(guard);
        item.empty() && !number.empty() && number_keys.size() < kMaxNumberKeys &&
        std::ranges::find(number_keys, number) == number_keys.end()) {
      number_keys.push_back(number);
    }
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
    if (!number_keys.empty()) {
      cause.facts.emplace_back("number_item", Joined(number_keys, ", "));
    }
  } else {
    std::string number = own_class == GuardClass::kLength && tensor_list.empty()
                             ? NumberIn(session, reasons, container)
                             : std::string();
    if (!number.empty()) cause.facts.emplace_back("number_item", std::move(number));
    if (!tensor_list.empty()) cause.facts.emplace_back("tensor_list", std::move(tensor_list));
    if (inner_dim > 0) {
      cause.facts.emplace_back("item_dim", "dim " + std::to_string(inner_dim));
    } else if (!item_list.empty()) {
      cause.facts.emplace_back("item_list", std::move(item_list));
    }
  }
  if (cause.is_mapping && !keys.empty()) {
    cause.facts.emplace_back("keys", Joined(keys, ", "));
    AddAsked(reasons.FirstAsking(keys), cause);
    if (std::string flags = reasons.FlagDefaults(keys); !flags.empty()) {
      cause.facts.emplace_back("flag_defaults", std::move(flags));
    }
  }
}

OptionalValues FindOptionalValues(const Session& session, const ReasonsByGuard& reasons) {
  OptionalValues optional;
  for (const auto& [key, reason] : reasons) {
    const std::string_view text = session.text(reason->source);
    const SourceRef source = ParseSource(text);
    if (source.root != SourceRef::Root::kArgument || source.IsOfModule()) continue;
    const bool is_attribute = source.IsAttribute();
    if (!source.path.empty() && !is_attribute) continue;
    // Where the code compares with None, a number instead fails on its type.
    const bool is_none = reason->guard_class == GuardClass::kNone ||
                         IsMissingTensor(session, *reason) ||
                         (reason->guard_class == GuardClass::kType &&
                          AsksPresence(session.text(reason->code), source.LastName()));
    if (!is_none) continue;
    std::string name = SpellSources(NameOfSource(text), SourceSpelling::kPython);
    std::string owner = is_attribute ? name.substr(0, name.rfind('.')) : std::string();
    optional[std::move(owner)].insert(std::move(name));
  }
  return optional;
}

void DescribeOptional(const OptionalValues& optional, Cause& cause) {
  constexpr std::ptrdiff_t kMaxShown = 6;
  const std::string name =
      SpellSources(NameOfSource(cause.culprit->source), SourceSpelling::kPython);
  const size_t dot = name.rfind('.');
  const auto found =
      optional.find(dot == kNotFound ? std::string_view() : std::string_view(name).substr(0, dot));
  if (found == optional.end() || !found->second.contains(name)) return;
  const std::set<std::string>& names = found->second;
  if (names.size() < 2) return;
  const auto end = std::next(names.begin(), std::min(kMaxShown, std::ssize(names)));
  cause.facts.emplace_back("optional_values",
                           JoinedNames(std::vector<std::string>(names.begin(), end)));
}

void DescribeMissing(ReasonIndex& reasons, Cause& cause) {
  AddAsked(reasons.FirstAsking({ParseSource(cause.culprit->source).LastName()}), cause);
}

}  // namespace shapewise
