// Reads graphs that are printed as lists of their nodes: print(graph), Graph.print_tabular.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_LISTED_GRAPHS_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_LISTED_GRAPHS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ingest/graph_text/arguments.h"
#include "ingest/graph_text/graph_builder.h"
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

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_LISTED_GRAPHS_H_
