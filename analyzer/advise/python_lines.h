// Line-based facts about a Python file, without parsing it; only what is certain.

#ifndef SHAPEWISE_ADVISE_PYTHON_LINES_H_
#define SHAPEWISE_ADVISE_PYTHON_LINES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/place.h"

namespace shapewise {

/// A statement that is a single call with plain names as arguments: "y = step(x, mask)".
struct PlainCall {
  size_t line = 0;  ///< index
  std::string indent;
  std::map<std::string, std::string> arguments;  ///< parameter -> name at the call
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

  /// The line on which the function is compiled: its decorator, or "torch.compile(name".
  std::optional<size_t> FindCompileCall(const Place& place) const;

  /// All calls of the compiled function in this file; absent unless all of them are plain and the
  /// function is at the top level and compiled in this file.
  std::optional<std::vector<PlainCall>> FindCalls(const Place& place) const;

 private:
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
