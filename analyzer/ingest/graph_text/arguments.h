// Python as PyTorch prints it of graphs: how it is parsed, and its expressions as arguments.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_ARGUMENTS_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_ARGUMENTS_H_

#include <optional>
#include <string_view>
#include <utility>

#include "ingest/graph_text/graph_builder.h"
#include "llvm/ADT/SmallVector.h"
#include "pyast/parser.h"

namespace shapewise {

using Arguments = llvm::SmallVector<Argument, 8>;

/// What a string literal means; absent for all else.
std::optional<std::string_view> StringValue(const pyast::Expr* expression);

/// The value of the keyword argument `name`; null: it is not given.
const pyast::Expr* KeywordValue(const pyast::Call& call, std::string_view name);

/// The parts of a tuple, a list or a set; none of anything else.
pyast::Exprs PartsOf(const pyast::Expr* expression);
/// The keys and values of a dict in turn. Without the null key of "**x".
llvm::SmallVector<pyast::Expr*, 16> PartsOf(const pyast::Dict& dict);

/// All parameters of a function in order, with the values that they have by default, null for none.
llvm::SmallVector<std::pair<const pyast::Arg*, const pyast::Expr*>, 8> ParametersOf(
    const pyast::Arguments& parameters);

/// The argument that a number is, "1", "-2.5e3", "inf"; absent for other texts.
std::optional<Argument> ReadNumber(std::string_view text, GraphBuilder& builder);
/// The argument that a literal without parts is, which is spelled `text`.
std::optional<Argument> ReadConstant(const pyast::Constant& constant, std::string_view text,
                                     GraphBuilder& builder);

/// A literal as TorchScript prints it: a number, a text, True, False, None, inf, nan, or a list of
/// them; what is none of these is kept as text. `text` is what was parsed.
Argument ReadLiteral(const pyast::Expr& expression, std::string_view text, GraphBuilder& builder);

/// Parses one text after the other; a tree is valid until the next text comes.
class PrintedPython {
 public:
  PrintedPython() : parser_(arena_, {.is_printed = true}) {}

  /// See pyast::Parser.
  const pyast::Stmt* ParseFirst(std::string_view text, size_t& end) {
    return parser_.ParseFirst(Begin(text), end);
  }
  const pyast::Expr* ParseExpression(std::string_view text) {
    return parser_.ParseExpression(Begin(text));
  }
  const pyast::Call* ParseArguments(std::string_view text) {
    return parser_.ParseArguments(Begin(text));
  }

  /// What `node` was parsed from.
  std::string_view TextOf(const pyast::Node& node) const {
    return text_.substr(node.span.begin, node.span.end - node.span.begin);
  }
  /// "a.b.c" of names and attributes without blanks; empty for all else.
  std::string_view PathOf(const pyast::Expr& expression) const;
  /// What an annotation says: the text in its quotes, or its text.
  std::string_view AnnotationText(const pyast::Expr& annotation) const {
    return StringValue(&annotation).value_or(TextOf(annotation));
  }
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

/// Expressions as arguments. What is no literal, name, container or call is kept as text, and so is
/// what is nested deeper than any real argument.
class ArgumentReader : public PrintedPython {
 public:
  /// `has_percents`: values are printed as in print(graph): (%x, 1).
  ArgumentReader(GraphBuilder& builder, bool has_percents)
      : builder_(builder), has_percents_(has_percents) {}

  /// One argument; a slice as well.
  Argument Read(const pyast::Expr& expression);
  Arguments ReadAll(pyast::Exprs expressions);
  /// All arguments of `call`.
  Arguments ReadArguments(const pyast::Call& call);

 private:
  std::optional<Argument> ReadPlain(const pyast::Expr& expression);
  std::optional<Argument> ReadName(const pyast::Expr& expression);
  std::optional<Argument> ReadCall(const pyast::Call& call);
  Argument Text(Argument::Kind kind, const pyast::Expr& expression);
  void CountLeftmost(const pyast::Expr* expression);

  GraphBuilder& builder_;
  const bool has_percents_;
  bool is_in_slice_ = false;
  size_t num_values_ = 0;  ///< values that were met so far
  int depth_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_ARGUMENTS_H_
