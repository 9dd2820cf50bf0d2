// Names of enumerators.

#ifndef SHAPEWISE_SUPPORT_ENUM_NAME_H_
#define SHAPEWISE_SUPPORT_ENUM_NAME_H_

#include <cstddef>
#include <string_view>

namespace shapewise {

/// The name of `value` in a list with one name for each enumerator up to `kLast`, in their order;
/// empty past its end.
template <auto kLast, size_t kCount>
constexpr std::string_view EnumName(decltype(kLast) value,
                                    const std::string_view (&names)[kCount]) {
  static_assert(kCount == static_cast<size_t>(kLast) + 1);
  const auto index = static_cast<size_t>(value);
  return index < kCount ? names[index] : std::string_view();
}

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_ENUM_NAME_H_
