// Python as PyTorch prints it of graphs: how it is parsed, and its expressions as arguments.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_ARGUMENTS_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/graph_text/graph_builder.h"
#include "llvm/ADT/SmallVector.h"
#include "pyast/parser.h"

namespace shapewise {

/// Parses one text after the other; a tree is valid until the next text comes.
class PrintedPython {
 public:
  PrintedPython() : parser_(arena_, {.is_printed = true}) {}

  /// See pyast::Parser.
  const pyast::Stmt* ParseFirst(std::string_view text, size_t& end);
  const pyast::Expr* ParseExpression(std::string_view text);
  const pyast::Call* ParseArguments(std::string_view text);

  /// What `node` was parsed from.
  std::string_view TextOf(const pyast::Node& node) const {
    return text_.substr(node.span.begin, node.span.end - node.span.begin);
  }
  /// What stands between the quotes of one string literal, escapes included; absent for all else.
  std::optional<std::string_view> QuotedText(const pyast::Expr& expression) const;
  /// "a.b.c" of names and attributes without blanks; empty for all else.
  std::string_view PathOf(const pyast::Expr& expression) const;
  /// What an annotation says: the text in its quotes, or its text.
  std::string_view AnnotationText(const pyast::Expr& annotation) const;
  /// The comment behind the statement, without "#" and blanks; empty: there is none.
  std::string_view Comment() const;

 private:
  std::string_view Begin(std::string_view text) {
    arena_.Reset();
    return text_ = text;
  }

  llvm::BumpPtrAllocator arena_;
  pyast::Parser parser_;
  std::string_view text_;
};

/// The value of the keyword argument `name`; null: it is not given.
const pyast::Expr* KeywordValue(const pyast::Call& call, std::string_view name);

/// The parts of a tuple or a list; none of anything else.
pyast::Exprs PartsOf(const pyast::Expr* expression);

/// Pushes expressions onto a GraphBuilder. What is no literal, name, container or call is pushed as
/// text, and so is what is nested deeper than any real argument.
class ArgumentReader : public PrintedPython {
 public:
  /// `has_percents`: values are printed as in print(graph): (%x, 1).
  ArgumentReader(GraphBuilder& builder, bool has_percents)
      : builder_(builder), has_percents_(has_percents) {}

  /// Pushes one argument; a slice as well.
  void Push(const pyast::Expr& expression);
  /// Pushes all arguments of `call`.
  void PushArguments(const pyast::Call& call);
  /// Pushes the values of a dict with its keys as their keywords. False: a key is no name.
  bool PushKeywords(const pyast::Expr& expression);

 private:
  bool PushPlain(const pyast::Expr& expression);
  bool PushName(const pyast::Expr& expression);
  bool PushNumber(std::string_view text);
  bool PushConstant(const pyast::Constant& constant);
  bool PushCall(const pyast::Call& call);
  bool PushGroup(pyast::Exprs parts, Argument::Kind kind);
  void PushOptional(const pyast::Expr* expression);
  void CountLeftmost(const pyast::Expr* expression);

  GraphBuilder& builder_;
  const bool has_percents_;
  bool is_in_slice_ = false;
  size_t num_values_ = 0;  ///< values that were met so far
  int depth_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_ARGUMENTS_H_
