// The finders of causes, one file each; fold_causes.cc calls them.

#ifndef SHAPEWISE_CAUSES_FIND_CAUSES_H_
#define SHAPEWISE_CAUSES_FIND_CAUSES_H_

#include <cstddef>
#include <vector>

#include "causes/cause.h"
#include "causes/compile_ledger.h"
#include "history/code_object_history.h"

namespace shapewise {

/// One cause for each culprit of each function that was recompiled, in no particular order. `order`
/// lists all events, process by process, each in order of appearance.
///
/// The culprit of a recompile is the guard of the newest cache entry that failed. There is a second
/// one if that value had occurred before: the entry for that value would have matched if another
/// guard of it had not failed. The event then counts for both, its cost for the first only.
std::vector<Cause> FoldRecompiles(const Session& session, const std::vector<size_t>& order,
                                  const CompileHistory& history);

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

/// One cause for each function whose first compile found nothing to compile. Frames that break, and
/// the rest of a function after a break, are excluded: there the break is the cause.
std::vector<Cause> FoldEmptyGraphs(const Session& session, const CompileLedger& ledger);

/// One cause for each function whose calls spend a notable time on guards: 30 us as estimated, or
/// 300 us as measured by PyTorch. It is costly from 100 us, or 1000 us. `hint` names what
/// dominates: "python", "layers" or "many" guards, or "entries" of the cache.
///
/// The guards come from structured traces and text logs. If a text log does not name the function,
/// each frame of each process counts as one.
std::vector<Cause> FoldGuardCosts(const Session& session);

/// One cause of kind kIgnoredMode, of type kEndedRegions, for each process whose profile has
/// compiled regions in the first steps and none in the later ones: at least five steps on either
/// side, and no compilation in the later ones. It gives no reason, because the profile does not
/// show one: a dispatch mode, a limit after which the functions run eagerly, and another phase of
/// the program look alike. Facts: "since" (the last step with compiled code) and "steps" (how many
/// followed it).
std::vector<Cause> FoldEndedRegions(const Session& session);

inline constexpr std::string_view kEndedRegions = "compiled regions ended";

/// The causes of kind kXla, in no particular order: one for each line of user code that makes new
/// graphs or looks at values, one for the compilations as a whole if no line explains them, one for
/// reads, one for operators without an XLA lowering, and one for everything that needs no action.
/// `order` lists all events, process by process, each in order of appearance; events of other kinds
/// are skipped.
///
/// Totals are judged by how they change, see CountSeries; docs/xla.md lists the rules.
std::vector<Cause> FoldXla(const Session& session, const std::vector<size_t>& order);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_FIND_CAUSES_H_
