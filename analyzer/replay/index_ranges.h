// Finds the inputs that are indices, and their ranges.

#ifndef SHAPEWISE_REPLAY_INDEX_RANGES_H_
#define SHAPEWISE_REPLAY_INDEX_RANGES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "replay/program.h"
#include "replay/size_expression.h"

namespace shapewise::replay {

/// For each input of `program`, the size of the dim that it indexes at `bindings`, or the smallest
/// if it indexes several: followed through views, copies and casts to embeddings, gathers,
/// subscripts and classes of losses. Absent: not an index, as far as the graph shows.
std::vector<std::optional<int64_t>> FindIndexRanges(const Program& program,
                                                    const Bindings& bindings);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_INDEX_RANGES_H_
