// Sample of the file:
//   {"source": "...", "categories": {"SCAL": "..."}, "fixes": {"B": "..."}, "hints": {"x": "..."},
//    "entries": [{"id": "GB0124", "type": "...", "category": "SCAL", "fix": "B", "hint": "x",
//                 "also": ["data dependent operator:*"]},
//                {"id": "GB0719", ..., "alias": "GB4501"}]}

#include "rules/break_registry.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "shapewise/support/text_scan.h"

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

std::string TextAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  const std::string* text = found->get_ptr<const std::string*>();
  return text == nullptr ? std::string() : *text;
}

bool ReadWords(const Json& registry, const char* key,
               std::map<std::string, std::string, std::less<>>& words) {
  const auto found = registry.find(key);
  if (found == registry.end() || !found->is_object()) return false;
  for (const auto& [code, text] : found->items()) {
    if (!text.is_string()) return false;
    words.emplace(code, text.get<std::string>());
  }
  return true;
}

bool ReadEntry(const Json& item, RegistryEntry& entry) {
  if (!item.is_object()) return false;
  entry.id = TextAt(item, "id");
  entry.type = TextAt(item, "type");
  entry.category = TextAt(item, "category");
  entry.fix = TextAt(item, "fix");
  entry.hint = TextAt(item, "hint");
  entry.alias = TextAt(item, "alias");
  const auto also = item.find("also");
  if (also != item.end()) {
    if (!also->is_array()) return false;
    for (const Json& wording : *also) {
      if (!wording.is_string()) return false;
      entry.also.push_back(wording.get<std::string>());
    }
  }
  return FullId(entry.id) == entry.id && !entry.type.empty();
}

}  // namespace

BreakRegistry::BreakRegistry(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {}

void BreakRegistry::ReadOnce() const {
  std::call_once(once_, [this] {
    if (path_.empty()) return;
    Read();
    if (!error_.empty()) {
      entries_.clear();
      error_ = path_ + ": " + error_;
    }
    Index();
  });
}

void BreakRegistry::Read() const {
  const Json registry = Json::parse(text_, nullptr, /*allow_exceptions=*/false);
  if (!registry.is_object()) {
    error_ = "expected a JSON object";
    return;
  }
  if (!ReadWords(registry, "categories", categories_) || !ReadWords(registry, "fixes", fixes_) ||
      !ReadWords(registry, "hints", hints_)) {
    error_ = "expected the objects 'categories', 'fixes' and 'hints', of texts";
    return;
  }
  const auto items = registry.find("entries");
  if (items == registry.end() || !items->is_array()) {
    error_ = "expected the list 'entries'";
    return;
  }
  entries_.resize(items->size());
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (ReadEntry((*items)[i], entries_[i])) continue;
    error_ = "entry " + std::to_string(i) + " (" + entries_[i].id +
             ") needs an 'id' such as GB0059, a 'type', and texts in 'also'";
    return;
  }
}

void BreakRegistry::Index() const {
  for (size_t i = 0; i < entries_.size(); ++i) {
    by_id_.emplace(entries_[i].id, i);
    // emplace keeps the first entry, so a type shared by several ids belongs to the first, and an
    // older wording never takes a type from the entry that has it as its own type.
    by_type_.emplace(BareType(entries_[i].type), i);
  }
  for (size_t i = 0; i < entries_.size(); ++i) {
    for (const std::string_view wording : entries_[i].also) {
      if (wording.ends_with('*')) {
        prefixes_.push_back({wording.substr(0, wording.size() - 1), i});
      } else {
        by_type_.emplace(BareType(wording), i);
      }
    }
  }
  // Ties keep file order.
  std::ranges::sort(prefixes_, [](const PrefixWording& a, const PrefixWording& b) {
    return std::pair(b.start.size(), a.entry) < std::pair(a.start.size(), b.entry);
  });
}

const RegistryEntry* BreakRegistry::FindById(std::string_view id) const {
  ReadOnce();
  const std::string full_id = FullId(id);
  const auto found = by_id_.find(full_id);
  return found == by_id_.end() ? nullptr : &entries_[found->second];
}

const RegistryEntry* BreakRegistry::FindByType(std::string_view type) const {
  ReadOnce();
  const std::string_view bare = BareType(type);
  if (bare.empty()) return nullptr;
  const auto found = by_type_.find(bare);
  if (found != by_type_.end()) return &entries_[found->second];
  const auto prefix = std::ranges::find_if(
      prefixes_, [&](const PrefixWording& wording) { return bare.starts_with(wording.start); });
  return prefix == prefixes_.end() ? nullptr : &entries_[prefix->entry];
}

const std::vector<RegistryEntry>& BreakRegistry::entries() const {
  ReadOnce();
  return entries_;
}

std::string_view BreakRegistry::CategoryText(std::string_view code) const {
  ReadOnce();
  const auto found = categories_.find(code);
  return found == categories_.end() ? std::string_view() : found->second;
}

std::string_view BreakRegistry::FixText(std::string_view code) const {
  ReadOnce();
  const auto found = fixes_.find(code);
  return found == fixes_.end() ? std::string_view() : found->second;
}

std::string_view BreakRegistry::HintText(std::string_view code) const {
  ReadOnce();
  const auto found = hints_.find(code);
  return found == hints_.end() ? std::string_view() : found->second;
}

Error BreakRegistry::Check() const {
  ReadOnce();
  return error_.empty() ? Error::success() : MakeError(error_);
}

}  // namespace shapewise
