// Parses the Python syntax in which PyTorch prints graphs, and its expressions as arguments.

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

/// The value of a string literal; absent for anything else.
std::optional<std::string_view> StringValue(const pyast::Expr* expression);

/// The value of the keyword argument `name`; null: it is not given.
const pyast::Expr* KeywordValue(const pyast::Call& call, std::string_view name);

/// The elements of a tuple, a list or a set; empty for anything else.
pyast::Exprs PartsOf(const pyast::Expr* expression);
/// The keys and values of a dict, alternating. Without the null key of "**x".
llvm::SmallVector<pyast::Expr*, 16> PartsOf(const pyast::Dict& dict);

/// All parameters of a function in order, with their default values, null if not given.
llvm::SmallVector<std::pair<const pyast::Arg*, const pyast::Expr*>, 8> ParametersOf(
    const pyast::Arguments& parameters);

/// The argument for a number, "1", "-2.5e3", "inf"; absent for other texts.
std::optional<Argument> ReadNumber(std::string_view text, GraphBuilder& builder);
/// The argument for a literal without elements, spelled `text`.
std::optional<Argument> ReadConstant(const pyast::Constant& constant, std::string_view text,
                                     GraphBuilder& builder);

/// A literal as TorchScript prints it: a number, a string, True, False, None, inf, nan, or a list
/// of them; anything else is kept as text. `text` is the parsed source.
Argument ReadLiteral(const pyast::Expr& expression, std::string_view text, GraphBuilder& builder);

/// Parses one text after the other; a tree is valid until the next text is parsed.
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

  /// The source of `node`.
  std::string_view TextOf(const pyast::Node& node) const {
    return text_.substr(node.span.begin, node.span.end - node.span.begin);
  }
  /// "a.b.c" for names and attributes without blanks; empty for anything else.
  std::string_view PathOf(const pyast::Expr& expression) const;
  /// The text of an annotation, without quotes.
  std::string_view AnnotationText(const pyast::Expr& annotation) const {
    return StringValue(&annotation).value_or(TextOf(annotation));
  }
  /// The comment after the statement, without "#" and blanks; empty if missing.
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

/// Expressions as arguments. Anything other than a literal, name, container or call is kept as
/// text, as are expressions nested deeper than real arguments.
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
  size_t num_values_ = 0;  ///< values seen so far
  int depth_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_ARGUMENTS_H_
