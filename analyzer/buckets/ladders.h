// Size lists that other programs ship, as functions of the largest size.

#ifndef SHAPEWISE_BUCKETS_LADDERS_H_
#define SHAPEWISE_BUCKETS_LADDERS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "buckets/size_ladder.h"
#include "support/error.h"

namespace shapewise {

/// The names that LadderOf accepts, sorted.
std::vector<std::string> LadderNames();

/// The ladder called `name`, up to the first size of at least `max`. The work does not grow with
/// `max`. Error: unknown name; suggests the nearest.
Expected<SizeLadder> LadderOf(std::string_view name, int64_t max);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_LADDERS_H_
