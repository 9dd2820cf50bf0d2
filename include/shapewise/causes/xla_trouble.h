// What a PyTorch/XLA run suffers from, in words that rules may name.

#ifndef SHAPEWISE_CAUSES_XLA_TROUBLE_H_
#define SHAPEWISE_CAUSES_XLA_TROUBLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shapewise {

/// What a cause of kind "xla" is about; the words of Cause::why.
enum class XlaTrouble : uint8_t {
  kGrowingGraph,     ///< "growing-graph": one line, each graph with more input than the one before
  kGraphEachStep,    ///< "graph-each-step": one line, a new graph at most steps
  kSeveralGraphs,    ///< "several-graphs": one line, several graphs; whether it goes on is not told
  kEarlyAccess,      ///< "early-access": a value was looked at in the middle of a step
  kRareAccess,       ///< "rare-access": the same, but seldom
  kUnexpectedRun,    ///< "unexpected-run": a graph ran inside a function that is compiled whole
  kPendingInput,     ///< "pending-input": inputs of a Dynamo graph had to be computed first
  kCompilesGrow,     ///< "compiles-grow": compilations rise with the steps
  kCompilesRise,     ///< "compiles-rise": they rose to the end of a log too short to tell more
  kCompilesUnclear,  ///< "compiles-unclear": many, and the log does not tell what came then
  kCompilesRare,     ///< "compiles-rare": fewer and fewer
  kCompilesStopped,  ///< "compiles-stopped": many at the start, then none
  kHostReads,        ///< "host-reads": tensors are read back at most steps
  kNotLowered,       ///< "not-lowered": operators without XLA code
  kSlowCompile,      ///< "slow-compile": one compilation took minutes
  kReport,           ///< "report": what asks for nothing
};
/// How many kinds there are.
inline constexpr size_t kNumXlaTroubles = static_cast<size_t>(XlaTrouble::kReport) + 1;

/// The word of `trouble`, as rules and results spell it.
std::string_view XlaTroubleName(XlaTrouble trouble);

/// The trouble that `trouble` may turn out to be in a longer or fuller log of the same run. For
/// identities that outlive one log.
XlaTrouble XlaTroubleFamily(XlaTrouble trouble);

/// The same by words; a word of no trouble stays.
std::string_view XlaTroubleFamily(std::string_view word);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_XLA_TROUBLE_H_
