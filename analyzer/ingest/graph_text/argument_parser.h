// Reads what stands between the parentheses of a printed call.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_ARGUMENT_PARSER_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_ARGUMENT_PARSER_H_

#include <cstdint>
#include <string_view>

#include "ingest/graph_text/graph_builder.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {

/// Whether `c` may stand in a Python name, which takes letters of every script.
inline bool IsNameChar(char c) { return IsWordChar(c) || static_cast<unsigned char>(c) >= 0x80; }

/// How a dump prints the values that a node takes.
enum class ValueSpelling : uint8_t {
  kBareNames,     ///< as in Python: add(x, 1)
  kPercentNames,  ///< as in print(graph): (%x, 1), and texts have no quotes
};

/// A cursor over printed Python that pushes what it reads onto a GraphBuilder. Line breaks and
/// comments are blanks to it. Expressions that are no literal, name, container or call are pushed
/// as text; so is what is nested deeper than any real argument.
class ArgumentParser {
 public:
  ArgumentParser(GraphBuilder& builder, ValueSpelling spelling)
      : builder_(builder), spelling_(spelling) {}

  void Reset(std::string_view text) { rest_ = text; }
  std::string_view rest() const { return rest_; }
  bool at_end() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_[0]; }

  void SkipBlanks();
  /// Blanks, then `token`.
  bool Consume(std::string_view token);
  /// An identifier; empty if there is none.
  std::string_view ConsumeName();
  /// Identifiers joined by dots; empty if there are none.
  std::string_view ConsumePath();
  /// A quoted text, without its quotes; false if it does not end. Nothing before the quote.
  bool ConsumeQuoted(std::string_view& inside);

  /// Pushes one element: up to a comma, a closing bracket, or the end. False: there is none, or it
  /// is cut.
  bool ParseElement() { return ParseElement(0); }
  /// Behind an opening bracket: pushes the elements up to `close`, keyword arguments with their
  /// keyword. False: it is cut.
  bool ParseArguments(char close) { return ParseArguments(close, 0); }
  /// Behind '[': pushes one argument, a tuple if there are commas.
  bool ParseSubscript() { return ParseSubscript(0); }
  /// Behind '{' of kwargs, whose keys may have quotes: pushes its values with their keywords.
  bool ParseKeywords();

  /// Moves behind the next `close` that no bracket or quote hides; false if there is none.
  bool SkipPast(char close);

 private:
  bool ParseElement(int depth);
  bool ParsePrimary(int depth);
  bool ParseArguments(char close, int depth);
  bool ParseSubscript(int depth);
  bool ParseGroup(char close, int depth);
  bool ParseDict(int depth);
  bool ParseNumber();
  bool ParseNamed(int depth);
  bool ParseCall(std::string_view path, const char* begin, int depth);
  bool ParseSlicePart(char close, int depth);
  bool TakeAsText(const char* begin, size_t mark, int depth);
  bool IsAtDelimiter();
  bool IsAtColon() const;
  void SkipExpression();
  void PushConstant(Argument::Kind kind, int64_t integer);

  GraphBuilder& builder_;
  const ValueSpelling spelling_;
  std::string_view rest_;
  size_t num_values_ = 0;  ///< values that were pushed so far
  bool is_in_slice_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_ARGUMENT_PARSER_H_
