#include "timeline/binomial.h"

#include <algorithm>
#include <cmath>

namespace shapewise {

double BinomialTail(uint64_t hits, uint64_t trials, double chance) {
  if (chance >= 1) return 1;
  if (chance <= 0) return hits == 0 ? 1 : 0;
  const auto n = static_cast<double>(trials);
  double tail = 0;
  for (uint64_t i = hits; i <= trials; ++i) {
    const auto k = static_cast<double>(i);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                     k * std::log(chance) + (n - k) * std::log1p(-chance));
  }
  return std::min(1.0, tail);
}

}  // namespace shapewise
