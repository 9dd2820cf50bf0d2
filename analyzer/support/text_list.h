// Lists and counts as text.

#ifndef SHAPEWISE_SUPPORT_TEXT_LIST_H_
#define SHAPEWISE_SUPPORT_TEXT_LIST_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_TEXT_LIST_H_
