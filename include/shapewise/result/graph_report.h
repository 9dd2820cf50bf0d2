// What leaves the analysis of a graph: what padding a size would do to the result.

#ifndef SHAPEWISE_RESULT_GRAPH_REPORT_H_
#define SHAPEWISE_RESULT_GRAPH_REPORT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

/// What happens to a graph's results at the real positions when inputs are padded along a symbol.
enum class PaddingVerdict : uint8_t {
  kSafe,     ///< "safe": real positions of the outputs do not change, whatever the padding holds
  kMasked,   ///< "masked": right if the inputs named in `because` are extended as said there
  kUnsafe,   ///< "unsafe": padded positions get into real results; the first node is in `because`
  kUnknown,  ///< "unknown": an operator or a shape on the way is not known; named in `because`
};
/// The word of a verdict, as results have it.
std::string_view PaddingVerdictName(PaddingVerdict verdict);

/// One reason of a verdict.
struct PaddingReason {
  std::string node;       ///< name of the node, or of the placeholder
  std::string op;         ///< its operator
  std::string why;        ///< one clause for a person: "mean over dim 1, which is padded"
  uint64_t line = 0;      ///< of the dump
  std::string user_file;  ///< of the model code, where the dump tells
  uint32_t user_line = 0;
};

/// The verdict on one symbol of a graph.
struct SymbolPadding {
  std::string symbol;
  PaddingVerdict verdict = PaddingVerdict::kUnknown;
  std::vector<PaddingReason> because;  ///< in the order of the graph
  /// Outputs that have the symbol in their shape and must be cut back to the real size: by
  /// position.
  std::vector<uint32_t> outputs_to_cut;
};

/// Advice that a size should be a multiple of something.
struct AlignmentAdvice {
  std::string symbol;
  int64_t multiple = 0;
  std::string node;
  std::string why;
};

/// What was found out about one graph of a GraphSet.
struct GraphReport {
  size_t graph = 0;                    ///< into GraphSet::graphs
  std::vector<SymbolPadding> padding;  ///< in the order of GraphModel::symbols
  std::vector<AlignmentAdvice> alignment;
  /// Graphs that this one calls and that were followed as parts of it: into GraphSet::graphs. A
  /// verdict on one of them alone would say nothing of what users get.
  std::vector<uint32_t> parts;
  std::vector<std::string> constraints;  ///< predicates on the symbols that the graph relies on
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_GRAPH_REPORT_H_
