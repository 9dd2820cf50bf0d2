// Advice on compiled frames that were read once, for lint and advise alike.

#ifndef SHAPEWISE_ADVISE_ADVISE_ON_FRAMES_H_
#define SHAPEWISE_ADVISE_ADVISE_ON_FRAMES_H_

#include <memory>
#include <vector>

#include "advise/compiled_frame.h"
#include "dynamo/run_probes.h"
#include "llvm/ADT/ArrayRef.h"
#include "model/recorded_function.h"
#include "model/session.h"
#include "result/advice.h"
#include "result/finding.h"

namespace shapewise {

/// Rewords the actions of `findings` on sizes and ints, so that each names all that changed in its
/// function, one of `frames`: a mark on one of two sizes that change together does not help.
void NameAllSizes(llvm::ArrayRef<CompiledFrame> frames, std::vector<Finding>& findings);

/// Advise() for a run whose compiled frames are known.
Advice AdviseOnFrames(std::vector<CompiledFrame> frames, const Session& session,
                      const std::vector<Finding>& findings, const RunSummary& summary,
                      const std::vector<std::unique_ptr<RecordedFunction>>& recorded,
                      const RunProbes* probes);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_ADVISE_ON_FRAMES_H_
