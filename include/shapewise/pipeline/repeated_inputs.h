// Inputs that were read more than once, as when the partial of a rank is merged twice.

#ifndef SHAPEWISE_PIPELINE_REPEATED_INPUTS_H_
#define SHAPEWISE_PIPELINE_REPEATED_INPUTS_H_

#include <string>
#include <vector>

#include "shapewise/model/session.h"

namespace shapewise {

/// One sentence for each group of inputs of the sorted `session` that are the same log, in the
/// order of their first: inputs of one size, once unpacked, with the same events, whose name is the
/// same too but for ".gz" or ".zst", or whose events bear the same times. Empty inputs are no log.
/// Nothing is left out because of it: what they hold counts as often as it was read.
std::vector<std::string> DescribeRepeatedInputs(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPEATED_INPUTS_H_
