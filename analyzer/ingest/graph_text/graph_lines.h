// Reads printed graphs line by line: lists of their nodes (print(graph), Graph.print_tabular) and
// Python functions (print_readable, GraphModule.code, repros).

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_LINES_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_LINES_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ingest/graph_text/arguments.h"
#include "ingest/graph_text/graph_builder.h"
#include "llvm/ADT/StringMap.h"
#include "support/text_scan.h"

namespace shapewise {

/// One line of a text.
struct TextLine {
  std::string_view text;  ///< without its newline and carriage return
  uint64_t number = 0;    ///< in the input, 1-based
  size_t indent = 0;      ///< blanks at its front
  bool is_whole = false;  ///< it ends with a newline, so it cannot be truncated

  /// Without the blanks at its front.
  std::string_view body() const { return text.substr(indent); }
};

/// A text that may consist of selected lines of a larger one: then `numbers` contains the number of
/// each in the input; otherwise they are counted from `first_line`.
class LineCursor {
 public:
  LineCursor(std::string_view text, uint64_t first_line, std::span<const uint64_t> numbers)
      : text_(text), first_line_(first_line), numbers_(numbers) {}

  std::string_view text() const { return text_; }
  size_t offset() const { return offset_; }
  bool at_end() const { return offset_ >= text_.size(); }

  /// The line that begins at the cursor.
  TextLine Peek() const {
    TextLine line;
    const size_t end = EndOfLine(offset_);
    line.text = text_.substr(offset_, end - offset_);
    line.is_whole = end < text_.size();
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    line.indent = Indent(line.text);
    line.number = Number();
    return line;
  }

  /// Moves to the beginning of the line after the one at `offset`, which must not be after the
  /// cursor.
  void MovePastLineAt(size_t offset) {
    MoveToLineOf(offset);
    offset_ = std::min(EndOfLine(offset) + 1, text_.size());
    ++index_;
  }

  void Skip() { MovePastLineAt(offset_); }

  /// Moves to the beginning of the line that contains `offset`.
  void MoveToLineOf(size_t offset) {
    const size_t newline = offset == 0 ? kNone : text_.rfind('\n', offset - 1);
    const size_t begin = newline == kNone || newline < offset_ ? offset_ : newline + 1;
    index_ +=
        static_cast<uint64_t>(std::count(text_.begin() + static_cast<ptrdiff_t>(offset_),
                                         text_.begin() + static_cast<ptrdiff_t>(begin), '\n'));
    offset_ = begin;
  }

 private:
  static constexpr size_t kNone = std::string_view::npos;

  size_t EndOfLine(size_t from) const {
    const void* newline = memchr(text_.data() + from, '\n', text_.size() - from);
    if (newline == nullptr) return text_.size();
    return static_cast<size_t>(static_cast<const char*>(newline) - text_.data());
  }

  uint64_t Number() const {
    if (numbers_.empty()) return first_line_ + index_;
    return numbers_[std::min<size_t>(index_, numbers_.size() - 1)];
  }

  std::string_view text_;
  uint64_t first_line_;
  std::span<const uint64_t> numbers_;
  size_t offset_ = 0;
  uint64_t index_ = 0;
};

/// "torch.ops.aten.add.Tensor" -> "aten.add.Tensor", "_operator.mul" -> "operator.mul",
/// "builtins.getattr" -> "getattr".
std::string NormalTarget(std::string_view target);

/// The function in Python's module operator that FX uses for an operator: "operator.add",
/// "operator.iadd".
std::string OperatorFunction(pyast::Operator op, bool is_in_place = false);

/// Reads the nodes of "graph():", one per line:
///   %add : [num_users=1] = call_function[target=operator.add](args = (%x, 1), kwargs = {})
/// Source: Node.format_node in torch/fx/node.py, releases 2.0 to 2.13.
class ListedNodeReader {
 public:
  explicit ListedNodeReader(GraphBuilder& builder)
      : builder_(builder), arguments_(builder, /*has_percents=*/true) {}

  /// Adds the node in `line`; false: not a node.
  bool Read(std::string_view line);

 private:
  GraphBuilder& builder_;
  ArgumentReader arguments_;
};

/// Reads the table whose head is the line of `cursor`, and moves behind it. Its columns are opcode,
/// name, target, args, kwargs; functions stand there as Python shows them ("<built-in function
/// mul>"), without their module. The graph is called `name`. Returns its index; kNoIndex: it is no
/// such table.
uint32_t ReadGraphTable(LineCursor& cursor, GraphBuilder& builder, const GraphOrigin& origin,
                        std::string_view name);

/// Reads the graphs of one text, one after the other. Statements have the forms that torch.fx
/// generates (torch/fx/graph.py, _gen_python_code): one operation each.
class PythonGraphReader {
 public:
  PythonGraphReader(GraphBuilder& builder, ListedNodeReader& listed)
      : builder_(builder), listed_(listed), python_(builder, /*has_percents=*/false) {}

  /// Reads the function whose "def" is on the line of `cursor`, and moves past it. `has_class`: a
  /// line "class X(torch.nn.Module):" comes before it. Returns the index of the graph; kNoIndex:
  /// not a graph.
  uint32_t Read(LineCursor& cursor, const GraphOrigin& origin, std::string_view format,
                std::string_view name, bool has_class);
  /// The same for the list of nodes after the line "graph():" of `cursor`.
  uint32_t ReadList(LineCursor& cursor, const GraphOrigin& origin, std::string_view name);

 private:
  enum class Signature : uint8_t { kWhole, kCut, kForeign };
  enum class Outcome : uint8_t {
    kRead,        ///< a node, a deletion, another name of a value, or bookkeeping of a profiler
    kAnnotation,  ///< names with their types, whose values come later: `x: "f32[3]"; y: ...`
    kUnreadable,
  };

  void Begin(const GraphOrigin& origin, std::string_view format, std::string_view name,
             uint64_t line);
  Signature ReadSignature(LineCursor& cursor);
  bool ReadHead(std::string_view text, size_t& end);
  void ReadBody(LineCursor& cursor, size_t head_indent, bool is_list);
  bool ReadReturn(LineCursor& cursor);
  void ReadComment(std::string_view comment);
  uint32_t Finish(uint64_t head_line);

  Outcome ReadStatement(std::string_view statement);
  Outcome ReadAssignment(const pyast::Expr& target, const pyast::Expr* annotation,
                         const pyast::Expr& value);
  Outcome ReadInPlace(const pyast::Expr& changed, std::string_view rest);
  Outcome ReadUnpacking(pyast::Exprs targets, const pyast::Expr& value);
  Outcome ReadAnnotations(std::string_view statement);
  bool ReadRightSide(const pyast::Expr& value, NodeKind& kind);
  bool ReadCall(const pyast::Call& call, NodeKind& kind);
  bool ReadRootPath(const pyast::Expr& expression);
  bool ReadOperation(pyast::Operator op, pyast::Exprs operands);
  bool IsAttributeOfValue(const pyast::Expr& expression);
  uint32_t ValueOf(const pyast::Expr& expression);
  void Take(const pyast::Expr& expression) { arguments_.push_back(python_.Read(expression)); }

  GraphBuilder& builder_;
  ListedNodeReader& listed_;
  ArgumentReader python_;
  // State of the current statement.
  std::string target_;
  Arguments arguments_;
  uint32_t alias_ = kNoIndex;  ///< the right side is only this value

  size_t num_leaves_ = 0;  ///< of export's tree of arguments
  llvm::StringMap<uint32_t> announced_types_;
  std::string_view last_comment_;
  UserPlace last_place_;
  bool is_annotated_ = false;    ///< the signature has types: its parameters are the placeholders
  bool has_statements_ = false;  ///< statements follow, not only a list of inputs
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_GRAPH_LINES_H_
