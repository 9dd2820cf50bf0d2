// Line-based facts about a Python file, without parsing it; only what is certain.

#ifndef SHAPEWISE_ADVISE_PYTHON_LINES_H_
#define SHAPEWISE_ADVISE_PYTHON_LINES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "result/place.h"

namespace shapewise {

/// The name after "def " in `line`, which may be "async"; empty: it is not a def.
std::string_view NameOfDef(std::string_view line);

/// A statement that begins with a call or assigns its result: "y = step(x, mask=m).sum()".
struct PlainCall {
  size_t line = 0;  ///< index
  std::string indent;
  /// Parameter -> name or literal at the call; of those that the code needs, always a name.
  std::map<std::string, std::string> arguments;
  std::vector<std::string>
      before;           ///< assignments of arguments to names, to insert before the call
  std::string changed;  ///< the line with these names; empty: as it is
};

/// The lines of one file. Indices count from 0.
class PythonLines {
 public:
  explicit PythonLines(const std::vector<std::string>& lines) : lines_(lines) {}

  /// The `def` of the function at `place` (whose line is that of its first decorator, if any);
  /// absent: there is no such function at that line.
  std::optional<size_t> FindFunction(const Place& place) const;

  /// Whether the line of `place` is in the body of the function that it names.
  bool IsWithin(const Place& place) const;

  bool ImportsTorch() const;

  /// The index of the first line after the imports at the top; 0 without imports.
  size_t EndOfImports() const;

  /// The line on which the function is compiled: its decorator, or "torch.compile(name". The
  /// forward of a class is compiled with an instance: "torch.compile(Net()", or "torch.compile(net"
  /// after "net = Net(".
  std::optional<size_t> FindCompileCall(const Place& place) const;

  /// All calls of the compiled function in this file, prepared for `code`, which names parameters;
  /// absent unless all of them are plain, on one line each, and the function or its class is at the
  /// top level and compiled in this file.
  std::optional<std::vector<PlainCall>> FindCalls(const Place& place, std::string_view code) const;

 private:
  /// The class at the top level that contains the method at line `def`; empty: none.
  std::string ClassOf(size_t def) const;

  /// The call on the line `index` whose parenthesis is at `open`; absent: it is not plain, or lacks
  /// one of the parameters `needed`.
  std::optional<PlainCall> ReadCall(size_t index, size_t open,
                                    const std::vector<std::string>& parameters,
                                    const std::set<std::string>& needed) const;

  /// The name by which the compiled function is called; absent: not clear.
  std::optional<std::string> CompiledName(const Place& place) const;

  const std::vector<std::string>& lines_;
};

/// `line`, which contains a whole torch.compile(...) call, with the keyword argument `argument`,
/// such as "dynamic=None"; None removes "dynamic=False", which must be present. Absent: the line
/// does not have that form.
std::optional<std::string> WithArgument(std::string_view line, std::string_view argument);

/// `code` with each name that is a key of `names` replaced.
std::string WithNames(std::string_view code, const std::map<std::string, std::string>& names);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_PYTHON_LINES_H_
