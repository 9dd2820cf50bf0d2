// How many compilations a change leaves, from the reasons that were printed.

#ifndef SHAPEWISE_ADVISE_ESTIMATE_H_
#define SHAPEWISE_ADVISE_ESTIMATE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "advise/change.h"
#include "advise/compiled_frame.h"

namespace shapewise {

/// What is left of the compilations of one frame.
struct FrameEstimate {
  uint32_t entries = 0;           ///< that the cache holds at the end
  bool hits_limit = false;        ///< it runs eager in the end
  std::vector<size_t> avoided;    ///< events of misses that do not happen, ascending
  std::optional<double> seconds;  ///< of the compilations that do not happen; absent: not told
};

/// Plays the misses of `frame` again under `changes` (analyzer/docs/advise.md): a miss is gone
/// where an entry that is still made fails only on guards that the changes take away. Guards behind
/// the first that failed are not printed, so this can promise too much; what comes after a limit
/// was hit is not told, so it can promise too little.
FrameEstimate EstimateFrame(const CompiledFrame& frame, const std::vector<CodeChange>& changes);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_ESTIMATE_H_
