// Reading Python expressions that were printed into a log: literals, brackets, names.
//
// Everything is linear in the text, allocates nothing, and takes text that ends anywhere.

#ifndef SHAPEWISE_MODEL_PYTHON_TEXT_H_
#define SHAPEWISE_MODEL_PYTHON_TEXT_H_

#include <cstddef>
#include <string_view>

#include "shapewise/support/text_scan.h"

namespace shapewise {

inline bool IsQuote(char c) { return c == '\'' || c == '"'; }

/// Whether `c` may be part of a Python name. Bytes beyond ASCII may, as in Python.
inline bool IsWordByte(char c) { return IsWordChar(c) || static_cast<unsigned char>(c) >= 0x80; }

/// Whether `text` is nothing but decimal digits, at least one.
bool IsAllDigits(std::string_view text);

/// The position after the string literal whose quote is at `pos`; npos if it is never closed.
size_t AfterLiteral(std::string_view text, size_t pos);

/// The position after the bracket that closes the one at `pos`; npos if it is never closed.
/// Brackets in string literals do not count, nor does which kind of bracket closes.
size_t AfterBracket(std::string_view text, size_t pos);

/// `text` without the `(` `)` around all of it, several of them too.
std::string_view WithoutOuterParentheses(std::string_view text);

/// `pos` after the dotted name that begins there: `math.floor` of `math.floor(x)`.
size_t AfterDottedName(std::string_view text, size_t pos);

/// Whether torch/_dynamo/source.py spells a source around another one with `function`:
///
///   ___tuple_iterator_getitem(L['it'], 2)   dict.__getitem__(L['d'], 'k')   list(dict.keys(d))[0]
bool SpellsSource(std::string_view function);

/// The position after the source that begins at `pos`: a name with what hangs on it, as in
///
///   L['self']._modules['a'].weight      x.size()[0]      ___from_numpy(x).item()
///
/// `pos` itself if there is none; npos if the text ends within it. A name called with arguments
/// is a source only if it is one of the functions that Dynamo spells sources with: `max(x, y)` is
/// none.
size_t AfterSource(std::string_view text, size_t pos);

/// The first argument of a call's argument list that begins at `pos`, after the `(`; trimmed.
/// Empty if the list ends before the argument does. `*after` becomes the position of the `,` or
/// `)` behind it, or npos.
std::string_view ReadArgument(std::string_view text, size_t pos, size_t* after);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_PYTHON_TEXT_H_
