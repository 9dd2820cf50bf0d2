// Compares the plan with size lists of other programs.

#ifndef SHAPEWISE_BUCKETS_LADDER_COMPARISON_H_
#define SHAPEWISE_BUCKETS_LADDER_COMPARISON_H_

#include <optional>

#include "buckets/call_table.h"
#include "buckets/plan_buckets.h"
#include "buckets/size_line.h"

namespace shapewise {

/// Evaluates `ladder` on the calls of `planned` (one dim), and on `held` if given. Our sets are the
/// best ones on `line`, which must be made from `planned`.
LadderComparison CompareLadder(const SizeLadder& ladder, const CallTable& planned,
                               const CallTable* held, const SizeLine& line);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_LADDER_COMPARISON_H_
