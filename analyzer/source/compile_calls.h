// How code asks for compilation: torch.compile as a function, a decorator or a functools.partial.

#ifndef SHAPEWISE_SOURCE_COMPILE_CALLS_H_
#define SHAPEWISE_SOURCE_COMPILE_CALLS_H_

#include <string_view>

#include "source/project.h"
#include "syntax/python_ast.h"

namespace shapewise {

inline constexpr std::string_view kCompileName = "torch.compile";

/// The way in which a callable is compiled.
struct CompileWay {
  bool compiles = false;  ///< false: not by torch.compile
  bool is_whole = false;  ///< with fullgraph=True
};

/// Whether the call passes fullgraph=True.
bool IsWhole(const Expr& call);

/// The way in which a function of `file` with this decorator is compiled: `torch.compile`,
/// `torch.compile(...)`, `functools.partial(torch.compile, ...)`, or a name for one of these.
CompileWay ReadDecorator(Project& project, FileId file, const Expr& decorator);

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_COMPILE_CALLS_H_
