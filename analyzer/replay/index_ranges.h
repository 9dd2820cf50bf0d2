// Which inputs are indices, and into how many elements.

#ifndef SHAPEWISE_REPLAY_INDEX_RANGES_H_
#define SHAPEWISE_REPLAY_INDEX_RANGES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "replay/program.h"
#include "replay/size_expression.h"

namespace shapewise::replay {

/// For each input of `program` how many elements what it indexes has at `bindings`, the least where
/// it indexes several: followed through views, copies and casts to embeddings, gathers, subscripts,
/// classes of losses. Absent: nothing is indexed by it as far as the graph tells.
std::vector<std::optional<int64_t>> FindIndexRanges(const Program& program,
                                                    const Bindings& bindings);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_INDEX_RANGES_H_
