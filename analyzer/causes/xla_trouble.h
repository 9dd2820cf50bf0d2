// Problems of PyTorch/XLA runs, as words that rules may use.

#ifndef SHAPEWISE_CAUSES_XLA_TROUBLE_H_
#define SHAPEWISE_CAUSES_XLA_TROUBLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shapewise {

/// What a cause of kind "xla" is about; the words of Cause::why.
enum class XlaTrouble : uint8_t {
  kGrowingGraph,   ///< "growing-graph": one line; each graph has more input than the previous one
  kGraphEachStep,  ///< "graph-each-step": one line; a new graph in most steps
  kSeveralGraphs,  ///< "several-graphs": one line; several graphs, and the log does not show
                   ///< whether more follow
  kEarlyAccess,    ///< "early-access": a value was read in the middle of a step
  kRareAccess,     ///< "rare-access": the same, but seldom
  kUnexpectedRun,  ///< "unexpected-run": a graph ran inside a function that is compiled as a whole
  kPendingInput,   ///< "pending-input": inputs of a Dynamo graph had to be computed first
  kCompilesGrow,   ///< "compiles-grow": the number of compilations grows with the steps
  kCompilesRise,   ///< "compiles-rise": it was still growing when a short log ended
  kCompilesUnclear,  ///< "compiles-unclear": many, and the log does not show what followed
  kCompilesRare,     ///< "compiles-rare": less and less often
  kCompilesStopped,  ///< "compiles-stopped": many at the start, then none
  kHostReads,        ///< "host-reads": tensors are read back in most steps
  kNotLowered,       ///< "not-lowered": operators without XLA code
  kSlowCompile,      ///< "slow-compile": one compilation took minutes
  kReport,           ///< "report": no action needed
};
/// The number of kinds.
inline constexpr size_t kNumXlaTroubles = static_cast<size_t>(XlaTrouble::kReport) + 1;

/// The word of `trouble` in rules and results.
std::string_view XlaTroubleName(XlaTrouble trouble);

/// The trouble that `trouble` may turn into in a longer or more complete log of the same run; for
/// identities that must stay stable across logs.
XlaTrouble XlaTroubleFamily(XlaTrouble trouble);

/// The same for a word; an unknown word is returned unchanged.
std::string_view XlaTroubleFamily(std::string_view word);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_XLA_TROUBLE_H_
