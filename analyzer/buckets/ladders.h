// Lists of sizes that other programs ship, as functions of the largest size, and how a plan
// compares with them.

#ifndef SHAPEWISE_BUCKETS_LADDERS_H_
#define SHAPEWISE_BUCKETS_LADDERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "buckets/call_table.h"
#include "buckets/plan_buckets.h"
#include "buckets/size_ladder.h"
#include "buckets/size_line.h"
#include "support/error.h"

namespace shapewise {

/// The names that LadderOf accepts, sorted.
std::vector<std::string> LadderNames();

/// The ladder called `name`, up to the first size of at least `max`. The work does not grow with
/// `max`. Error: unknown name; suggests the nearest.
Expected<SizeLadder> LadderOf(std::string_view name, int64_t max);

/// Evaluates `ladder` on the calls of `planned` (one dim), and on `held` if given. Our sets are the
/// best ones on `line`, which must be made from `planned`.
LadderComparison CompareLadder(const SizeLadder& ladder, const CallTable& planned,
                               const CallTable* held, const SizeLine& line);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_LADDERS_H_
