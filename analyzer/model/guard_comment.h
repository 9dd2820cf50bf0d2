// Parses what follows a guard on its line: the source line, the place, the hint.

#ifndef SHAPEWISE_MODEL_GUARD_COMMENT_H_
#define SHAPEWISE_MODEL_GUARD_COMMENT_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

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

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_GUARD_COMMENT_H_
