// The result of a graph analysis: how padding a size affects the results.

#ifndef SHAPEWISE_RESULT_GRAPH_REPORT_H_
#define SHAPEWISE_RESULT_GRAPH_REPORT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

/// How results at real positions change when inputs are padded along a symbol.
enum class PaddingVerdict : uint8_t {
  kSafe,     ///< "safe": they do not change, whatever the padding contains
  kMasked,   ///< "masked": correct if the inputs in `because` are padded as described there
  kUnsafe,   ///< "unsafe": padding affects real results; `because` names the first node
  kUnknown,  ///< "unknown": an operator or shape on the path is unknown; see `because`
};
/// The word of a verdict in results.
std::string_view PaddingVerdictName(PaddingVerdict verdict);

/// A reason for a verdict.
struct PaddingReason {
  std::string node;       ///< name of the node, or of the placeholder
  std::string op;         ///< its operator
  std::string why;        ///< a clause for people: "mean over dim 1, which is padded"
  uint64_t line = 0;      ///< of the dump
  std::string user_file;  ///< in the model code, if the dump says so
  uint32_t user_line = 0;
};

/// The verdict on one symbol of a graph.
struct SymbolPadding {
  std::string symbol;
  PaddingVerdict verdict = PaddingVerdict::kUnknown;
  std::vector<PaddingReason> because;  ///< in graph order
  /// Positions of outputs whose shape contains the symbol, which must be cut to the real size.
  std::vector<uint32_t> outputs_to_cut;
};

/// Advice to make a size a multiple of a number.
struct AlignmentAdvice {
  std::string symbol;
  int64_t multiple = 0;
  std::string node;
  std::string why;
};

/// The report on one graph of a GraphSet.
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
