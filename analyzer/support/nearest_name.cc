#include "support/nearest_name.h"

#include <algorithm>
#include <utility>

#include "llvm/ADT/StringRef.h"

namespace shapewise {
namespace {

/// Whether `a` is `b` with two neighboring letters swapped.
bool IsSwapped(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const size_t at = static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  return at + 1 < a.size() && a[at] == b[at + 1] && a[at + 1] == b[at] &&
         a.substr(at + 2) == b.substr(at + 2);
}

}  // namespace

std::vector<std::string_view> NearestNames(std::string_view word,
                                           std::span<const std::string_view> names, size_t limit) {
  struct Near {
    unsigned distance;
    size_t index;  // into names
  };
  // A third of the letters may differ; beyond that, suggestions are noise.
  const unsigned max_distance = static_cast<unsigned>(std::max<size_t>(word.size() / 3, 1));
  const std::string lower_word = llvm::StringRef(word.data(), word.size()).lower();
  std::vector<Near> near;
  for (size_t index = 0; index < names.size(); ++index) {
    const std::string_view name = names[index];
    const std::string lower_name = llvm::StringRef(name.data(), name.size()).lower();
    unsigned distance = llvm::StringRef(lower_word)
                            .edit_distance(lower_name, /*AllowReplacements=*/true,
                                           /*MaxEditDistance=*/max_distance);
    if (distance > 1 && IsSwapped(lower_word, lower_name)) distance = 1;
    if (distance <= max_distance) near.push_back({distance, index});
  }
  std::ranges::sort(near, {}, [](const Near& candidate) {
    return std::pair(candidate.distance, candidate.index);
  });
  std::vector<std::string_view> nearest;
  for (const Near& candidate : near) {
    if (nearest.size() == limit) break;
    nearest.push_back(names[candidate.index]);
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> names) {
  const std::vector<std::string_view> nearest = NearestNames(word, names, 1);
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest.front()) + "'?";
}

}  // namespace shapewise
