// Everything except recompiles and PyTorch/XLA: equal events, reported once.

#ifndef SHAPEWISE_CAUSES_SITE_CAUSES_H_
#define SHAPEWISE_CAUSES_SITE_CAUSES_H_

#include <cstddef>
#include <vector>

#include "causes/cause.h"
#include "causes/compile_ledger.h"

namespace shapewise {

/// One cause for each group of equal events of one kind, in no particular order. `order` lists all
/// events, process by process, each in order of appearance; if equal events differ in a field, the
/// first value is kept.
///
///   graph_break           place in the user's code and type; duplicates and ranks folded in
///   skipped_frame         compiled function and why
///   constraint_violation  compiled function, source and dim
///   compile_error         exception class and message
///   perf_hint             slug, and the message if the slug is not specific
///   cudagraph             action and why
///   implied_break         function and line
///   implied_recompile     frame id
///   ignored_mode          why
///   torchscript           action and place
std::vector<Cause> FoldSites(const Session& session, const std::vector<size_t>& order,
                             const CompileLedger& ledger);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_SITE_CAUSES_H_
