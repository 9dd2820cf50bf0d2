// Scans Python expressions in logs: literals, brackets, names.
//
// Everything is linear in the text, allocates nothing, and accepts truncated text.

#ifndef SHAPEWISE_MODEL_PYTHON_TEXT_H_
#define SHAPEWISE_MODEL_PYTHON_TEXT_H_

#include <cstddef>
#include <string_view>

#include "support/text_scan.h"

namespace shapewise {

/// Whether `c` begins or ends a string.
inline bool IsQuote(char c) { return c == '\'' || c == '"'; }

/// Whether `c` may be part of a Python name, which includes non-ASCII bytes.
inline bool IsWordByte(char c) { return IsWordChar(c) || static_cast<unsigned char>(c) >= 0x80; }

/// Whether `text` consists of at least one decimal digit and nothing else.
bool IsAllDigits(std::string_view text);

/// The position after the string literal whose quote is at `pos`; npos if it is never closed.
size_t AfterLiteral(std::string_view text, size_t pos);

/// The position after the bracket that closes the one at `pos`; npos if it is never closed. Ignores
/// brackets in string literals and the kinds of brackets.
size_t AfterBracket(std::string_view text, size_t pos);

/// Whether a bracket or a string of the expression `text` is open at its end.
bool HasOpenBracket(std::string_view text);

/// `text` without the pairs of `(` `)` around all of it.
std::string_view WithoutOuterParentheses(std::string_view text);

/// The position after the dotted name at `pos`: `math.floor` for `math.floor(x)`.
size_t AfterDottedName(std::string_view text, size_t pos);

/// Whether torch/_dynamo/source.py writes sources as calls of `function` with another source:
///
///   ___tuple_iterator_getitem(L['it'], 2)   dict.__getitem__(L['d'], 'k')   list(dict.keys(d))[0]
bool SpellsSource(std::string_view function);

/// The position after the source at `pos`: a name with its attributes, items and calls, as in
///
///   L['self']._modules['a'].weight      x.size()[0]      ___from_numpy(x).item()
///
/// `pos` itself if there is no source; npos if the text ends within it. A call with arguments is a
/// source only for the functions that Dynamo uses in sources: `max(x, y)` is not one.
size_t AfterSource(std::string_view text, size_t pos);

/// The first argument, trimmed, of a call's argument list at `pos`, which is after the `(`. Empty
/// if the list ends before the argument does. Sets `*after` to the position of the `,` or `)` after
/// it, or npos.
std::string_view ReadArgument(std::string_view text, size_t pos, size_t* after);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_PYTHON_TEXT_H_
