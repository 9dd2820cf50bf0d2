// What is known of a call outside of the project by its name and the way it is written, and how
// code asks for compilation: torch.compile as a function, a decorator or a functools.partial.

#ifndef SHAPEWISE_SOURCE_CALL_NAMES_H_
#define SHAPEWISE_SOURCE_CALL_NAMES_H_

#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "source/project.h"
#include "source/value.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// Whether the function gives a logger: logging.getLogger and those that wrap it.
bool IsLoggerFactory(std::string_view name);

/// Whether it is a class of torch that holds modules or parameters: ModuleList, ParameterList.
bool HoldsModules(std::string_view name);

/// Whether a decorator prevents Dynamo from tracing the decorated function.
bool KeepsOut(std::string_view decorator);

/// Whether the call of `name` cuts a tensor into as many pieces as a dim is long, or as fit into
/// it: x.unbind(1), x.split(8). `passed`: its arguments. A negative dim does not count: the last
/// one mostly is the width of the model.
bool GivesPieces(const Expr& call, std::string_view name, llvm::ArrayRef<Value> passed);

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

#endif  // SHAPEWISE_SOURCE_CALL_NAMES_H_
