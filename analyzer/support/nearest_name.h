// Suggests names for typos.

#ifndef SHAPEWISE_SUPPORT_NEAREST_NAME_H_
#define SHAPEWISE_SUPPORT_NEAREST_NAME_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

/// The names that `word` may be a typo of, nearest first, at most `limit`; empty: none is near
/// enough. Ignores case. Equal distances keep the order of `names`.
std::vector<std::string_view> NearestNames(std::string_view word,
                                           std::span<const std::string_view> names, size_t limit);

/// "; did you mean 'class'?", or empty if no name is near.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> names);

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_NEAREST_NAME_H_
