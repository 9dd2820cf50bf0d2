// Sample of the file:
//   {"source": "...", "categories": {"SCAL": "..."}, "fixes": {"B": "..."}, "hints": {"x": "..."},
//    "entries": [{"id": "GB0124", "type": "...", "category": "SCAL", "fix": "B", "hint": "x",
//                 "also": ["data dependent operator:*"]},
//                {"id": "GB0719", ..., "alias": "GB4501"}]}

#include "rules/break_registry.h"

#include <algorithm>
#include <functional>
#include <string>

#include "support/text_scan.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

constexpr size_t kIdDigits = 4;

/// "GB0059" for "gb59"; empty for another form.
std::string FullId(std::string_view id) {
  if (!ConsumeFront(id, "GB") && !ConsumeFront(id, "gb")) return {};
  if (id.empty() || id.size() > kIdDigits || !std::ranges::all_of(id, IsDigit)) return {};
  return "GB" + std::string(kIdDigits - id.size(), '0') + std::string(id);
}

/// Wordings are compared without surrounding blanks and full stops, which vary by release.
std::string_view BareType(std::string_view type) {
  type = Trim(type);
  if (type.ends_with('.')) type.remove_suffix(1);
  return type;
}

/// The text at `key`; empty if it is missing.
std::string_view TextAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  const std::string* text = found->get_ptr<const std::string*>();
  return text == nullptr ? std::string_view() : *text;
}

bool ReadWords(const Json& registry, const char* key, RuleStorage& storage,
               std::span<const RegistryWord>& into) {
  const auto found = registry.find(key);
  if (found == registry.end() || !found->is_object()) return false;
  std::vector<RegistryWord> words;
  for (const auto& [code, text] : found->items()) {
    const std::string* const words_of_code = text.get_ptr<const std::string*>();
    if (words_of_code == nullptr) return false;
    words.push_back({storage.Keep(code), *words_of_code});
  }
  into = storage.Keep(words);
  return true;
}

bool ReadEntry(const Json& item, RuleStorage& storage, RegistryEntry& entry) {
  if (!item.is_object()) return false;
  entry.id = TextAt(item, "id");
  entry.type = TextAt(item, "type");
  entry.category = TextAt(item, "category");
  entry.fix = TextAt(item, "fix");
  entry.hint = TextAt(item, "hint");
  entry.alias = TextAt(item, "alias");
  if (const auto also = item.find("also"); also != item.end()) {
    if (!also->is_array()) return false;
    std::vector<std::string_view> wordings;
    for (const Json& wording : *also) {
      const std::string* text = wording.get_ptr<const std::string*>();
      if (text == nullptr) return false;
      wordings.push_back(*text);
    }
    entry.also = storage.Keep(wordings);
  }
  return FullId(entry.id) == entry.id && !entry.type.empty();
}

std::string_view TextOf(std::span<const RegistryWord> words, std::string_view code) {
  const auto found = std::ranges::find(words, code, &RegistryWord::code);
  return found == words.end() ? std::string_view() : found->text;
}

}  // namespace

Error ReadRegistry(std::string_view path, std::string_view text, RuleStorage& storage,
                   RuleTables& tables) {
  const auto error = [&](const std::string& what) {
    return MakeError(std::string(path) + ": " + what);
  };
  const Json& registry =
      storage.documents.emplace_back(Json::parse(text, nullptr, /*allow_exceptions=*/false));
  if (!registry.is_object()) return error("expected a JSON object");
  if (!ReadWords(registry, "categories", storage, tables.categories) ||
      !ReadWords(registry, "fixes", storage, tables.fixes) ||
      !ReadWords(registry, "hints", storage, tables.hints)) {
    return error("expected the objects 'categories', 'fixes' and 'hints', of texts");
  }
  const auto items = registry.find("entries");
  if (items == registry.end() || !items->is_array()) return error("expected the list 'entries'");
  std::vector<RegistryEntry> entries(items->size());
  for (size_t i = 0; i < entries.size(); ++i) {
    if (ReadEntry((*items)[i], storage, entries[i])) continue;
    return error("entry " + std::to_string(i) + " (" + std::string(entries[i].id) +
                 ") needs an 'id' such as GB0059, a 'type', and texts in 'also'");
  }
  tables.registry = storage.Keep(entries);
  return Error::success();
}

void BreakRegistry::IndexOnce() const {
  std::call_once(once_, [this] {
    for (const RegistryEntry& entry : tables_.registry) {
      by_id_.emplace(entry.id, &entry);
      // emplace keeps the first entry, so a type shared by several ids belongs to the first, and an
      // older wording never takes a type from the entry that has it as its own type.
      by_type_.emplace(BareType(entry.type), &entry);
    }
    for (const RegistryEntry& entry : tables_.registry) {
      for (const std::string_view wording : entry.also) {
        if (wording.ends_with('*')) {
          prefixes_.push_back({wording.substr(0, wording.size() - 1), &entry});
        } else {
          by_type_.emplace(BareType(wording), &entry);
        }
      }
    }
    // Ties keep file order.
    std::ranges::stable_sort(prefixes_, std::ranges::greater(),
                             [](const PrefixWording& wording) { return wording.start.size(); });
  });
}

const RegistryEntry* BreakRegistry::FindById(std::string_view id) const {
  IndexOnce();
  const auto found = by_id_.find(FullId(id));
  return found == by_id_.end() ? nullptr : found->second;
}

const RegistryEntry* BreakRegistry::FindByType(std::string_view type) const {
  IndexOnce();
  const std::string_view bare = BareType(type);
  if (bare.empty()) return nullptr;
  const auto found = by_type_.find(bare);
  if (found != by_type_.end()) return found->second;
  const auto prefix = std::ranges::find_if(
      prefixes_, [&](const PrefixWording& wording) { return bare.starts_with(wording.start); });
  return prefix == prefixes_.end() ? nullptr : prefix->entry;
}

std::string_view BreakRegistry::CategoryText(std::string_view code) const {
  return TextOf(tables_.categories, code);
}

std::string_view BreakRegistry::FixText(std::string_view code) const {
  return TextOf(tables_.fixes, code);
}

std::string_view BreakRegistry::HintText(std::string_view code) const {
  return TextOf(tables_.hints, code);
}

}  // namespace shapewise
