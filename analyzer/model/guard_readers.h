// The readers of the parts of a guard: values, comments, expressions, relations, sentences.

#ifndef SHAPEWISE_MODEL_GUARD_READERS_H_
#define SHAPEWISE_MODEL_GUARD_READERS_H_

#include <cstdint>
#include <string_view>

#include "model/guard.h"

namespace shapewise {

/// The type of the value whose repr is `text`: an int of "3", an enum of "<Mode.FAST: 1>".
/// kUnknown if it is none of a known form, such as an expression. Text that is cut gives what its
/// beginning shows.
PythonType TypeOfRepr(std::string_view text);

/// The type that a repr of a class names: an int of "<class 'int'>", an enum of "<enum 'Mode'>", an
/// object of "<class 'app.Net'>". kUnknown if `text` begins with no such repr.
PythonType TypeOfClassRepr(std::string_view text);

/// The guard class of a guard that compares a value of `type` for equality.
GuardClass ClassOfValue(PythonType type);

/// A guard and what follows it.
struct CommentedGuard {
  std::string_view guard;    ///< trimmed
  std::string_view comment;  ///< without its `#`, trimmed
  std::string_view hint;     ///< from `(HINT:` on, unless a comment precedes it
};

/// Splits `text` at the end of the guard: at a `#` outside literals and brackets, at `(HINT:`, or
/// at the `; ` that separates several failed guards of one entry:
///
///   cfg['k'] == '# 3'            # return x * cfg["k"]  # mp/app/m.py:25 in forward
///   self.layer_idx == 7          (HINT: torch.compile considers integer attributes ...)
CommentedGuard SplitComment(std::string_view text);

/// A parsed comment; empty and 0: missing.
struct GuardComment {
  std::string_view code;
  std::string_view file;
  uint32_t line = 0;
  std::string_view function;
  std::string_view hint;  ///< as from FindHint
};

/// Parses a comment of any release:
///
///   return x * self.width  # mp/app/m.py:16 in forward (HINT: ...)
///   self.attention(  # block.py:250
///   _dynamo/output_graph.py:471 in init_ambient_guards
///   return F.linear(  # nn/linear.py:134 in forward (user code shown is first use of ...)
///   (_inductor/scheduler.py:388 in can_fuse)
///   duck sizing added this equality because these variables had the same size 4 (to avoid ...)
GuardComment ParseComment(std::string_view comment);

/// The option or function that a sentence of torch proposes, without its module: "mark_unbacked"
/// for "to avoid specialization try torch._dynamo.decorators.mark_unbacked(tensor, dim)". Empty:
/// none.
std::string_view FindHint(std::string_view sentence);

/// Sets class, source, dim and expected value of `out` from the guard `code`, without its comment:
///
///   L['x'] == 3      len(xs) != 2      ___check_obj_id(L['f'], 140030620899312)
///   (L['x'].size()[0] % 8) == 0        Eq(Mod(L['x'].size()[0], 8), 0)       2 <= x.size()[0]
///
/// `says_zero_one`: the comment attributes the guard to 0/1 specialization. Unknown code keeps the
/// class kOther.
void ParseExpression(std::string_view code, bool says_zero_one, GuardFailure& out);

/// Whether `text` is a single source.
bool IsSource(std::string_view text);

/// Whether `text` is a number as Python prints it. `*is_integer`: without point and exponent.
bool IsNumber(std::string_view text, bool* is_integer);

/// Whether `text` is an expression over at least one source without literals of other kinds:
/// `2*x.size()[0]`, but neither `(1+2j)` nor `<Mode.FAST: 1>`.
bool IsExpressionOverSources(std::string_view text);

/// Parses `code` as a relation; returns false and leaves `out` unchanged if it is not one.
/// `says_zero_one`: the comment attributes it to 0/1 specialization.
///
///   (x.size()[0] % 8) == 0     Ne(Mod(L['x'].size()[0], 8), 0)     2 <= x.size()[0]     n <= 20
bool ParseRelation(std::string_view code, bool says_zero_one, GuardFailure& out);

/// Parses the message of a tensor check; also sets `out.guard` and `out.hint`, because the sentence
/// on parameters may follow. Returns false and leaves `out` unchanged if `text` is something else.
///
///   tensor 'L['x']' size mismatch at index 0. expected 4, actual 5
///   tensor 'self.w' dtype mismatch. expected Float, actual Half. Guard failed on a parameter, ...
///   expected type of 'x' to be a tensor type, ' but found <class 'NoneType'>
bool ParseTensorText(std::string_view text, GuardFailure& out);

/// Parses the other sentences; `out.guard` must not contain another guard after it. Returns false
/// as above.
///
///   GLOBAL_STATE changed: grad_mode        KeyError on L['cfg']['bias']
///   Cache line invalidated because L['self'] got deallocated
///   Duplicate tensors found: ["a", "b"]    BACKEND_MATCH failure: ...
bool ParseSentence(std::string_view text, GuardFailure& out);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_GUARD_READERS_H_
