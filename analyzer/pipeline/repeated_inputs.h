// Detects inputs that were read more than once, for example if the partial of a rank is merged
// twice.

#ifndef SHAPEWISE_PIPELINE_REPEATED_INPUTS_H_
#define SHAPEWISE_PIPELINE_REPEATED_INPUTS_H_

#include <string>
#include <vector>

#include "model/session.h"

namespace shapewise {

/// Returns one sentence for each group of inputs of the sorted `session` that are the same log, in
/// the order of the first one. Inputs are the same if they have equal unpacked sizes and events,
/// and also equal names (apart from ".gz" or ".zst") or equal event times. Empty inputs are
/// ignored. Nothing is removed: repeated inputs count several times.
std::vector<std::string> DescribeRepeatedInputs(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPEATED_INPUTS_H_
