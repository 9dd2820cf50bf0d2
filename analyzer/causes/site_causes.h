// Everything but recompiles and PyTorch/XLA: events that are alike, told once.

#ifndef SHAPEWISE_CAUSES_SITE_CAUSES_H_
#define SHAPEWISE_CAUSES_SITE_CAUSES_H_

#include <cstddef>
#include <vector>

#include "causes/compile_ledger.h"
#include "shapewise/causes/cause.h"

namespace shapewise {

/// One cause for each thing that events of one kind share, in no particular order. `order` names
/// all events, process by process and in each as they came; where equal events differ in a field,
/// the first that states it is kept.
///
///   graph_break           place in the user's code and type; duplicates and ranks folded in
///   skipped_frame         compiled function and why
///   constraint_violation  compiled function, source and dim
///   compile_error         exception class and message
///   perf_hint             slug, and the message where the slug says nothing
///   cudagraph             action and why
///   implied_break         function and line
///   implied_recompile     frame id
///   ignored_mode          why
///   torchscript           action and place
std::vector<Cause> FoldSites(const Session& session, const std::vector<size_t>& order,
                             const CompileLedger& ledger);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_SITE_CAUSES_H_
