// What somebody may have meant.

#ifndef SHAPEWISE_SUPPORT_NEAREST_NAME_H_
#define SHAPEWISE_SUPPORT_NEAREST_NAME_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

/// The names that `word` may be a slip of, nearest first, at most `limit`; empty if none is near
/// enough to be helpful. Case does not count. Equal distances keep the order of `names`.
std::vector<std::string_view> NearestNames(std::string_view word,
                                           std::span<const std::string_view> names, size_t limit);

/// "; did you mean 'class'?" or, where no name is near, an empty text.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> names);

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_NEAREST_NAME_H_
