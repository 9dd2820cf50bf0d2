// Merges the results of several analyses.

#ifndef SHAPEWISE_SOURCE_MERGE_RESULTS_H_
#define SHAPEWISE_SOURCE_MERGE_RESULTS_H_

#include <vector>

#include "source/flow.h"

namespace shapewise {

/// Merges facts of the same place; sorts by file, function and place. The order of `results` does
/// not matter.
FlowResult MergeResults(std::vector<FlowResult> results);

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_MERGE_RESULTS_H_
