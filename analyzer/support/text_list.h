// Lists and counts as text.

#ifndef SHAPEWISE_SUPPORT_TEXT_LIST_H_
#define SHAPEWISE_SUPPORT_TEXT_LIST_H_

#include <concepts>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shapewise {

/// The texts of the items, with `separator` between them.
template <typename Items, typename ToText>
std::string Joined(const Items& items, std::string_view separator, const ToText& to_text) {
  std::string text;
  bool is_first = true;
  for (const auto& item : items) {
    if (!std::exchange(is_first, false)) text += separator;
    text += to_text(item);
  }
  return text;
}
/// The same for texts and numbers.
template <typename Items>
std::string Joined(const Items& items, std::string_view separator) {
  return Joined(items, separator, [](const auto& item) {
    if constexpr (std::integral<std::remove_cvref_t<decltype(item)>>) {
      return std::to_string(item);
    } else {
      return std::string_view(item);
    }
  });
}

/// "1 entry", "2 entries".
inline std::string Counted(uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}
/// "1 recompile", "2 recompiles": `noun` takes a plain s.
inline std::string Counted(uint64_t count, std::string_view noun) {
  return Counted(count, noun, std::string(noun) + "s");
}

/// Texts in the order in which they were added, each once.
class DistinctTexts {
 public:
  void Add(const std::string& text) {
    if (known_.insert(text).second) in_order_.push_back(text);
  }
  const std::vector<std::string>& in_order() const { return in_order_; }

 private:
  std::vector<std::string> in_order_;
  std::set<std::string> known_;
};

/// "einops, timm and torchvision".
inline std::string JoinedNames(const std::vector<std::string>& names) {
  std::string text = names.front();
  for (size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 < names.size() ? ", " : " and ") + names[i];
  }
  return text;
}

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_TEXT_LIST_H_
