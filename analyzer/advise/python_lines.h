// What can be said of a Python file line by line, without parsing it: only what is certain.

#ifndef SHAPEWISE_ADVISE_PYTHON_LINES_H_
#define SHAPEWISE_ADVISE_PYTHON_LINES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/result/place.h"

namespace shapewise {

/// A statement that is one call with plain names as arguments: "y = step(x, mask)".
struct PlainCall {
  size_t line = 0;  ///< index
  std::string indent;
  std::map<std::string, std::string> arguments;  ///< parameter: name at the call
};

/// The lines of one file. Indices count from 0.
class PythonLines {
 public:
  explicit PythonLines(const std::vector<std::string>& lines) : lines_(lines) {}

  /// The `def` of the function at `place`, whose line is that of its first decorator, if it has
  /// some; absent: there is no such function at that line.
  std::optional<size_t> FindFunction(const Place& place) const;

  bool ImportsTorch() const;

  /// The index behind the imports at the top; 0 if there are none.
  size_t EndOfImports() const;

  /// The one line on which the function is compiled: its decorator, or "torch.compile(name".
  std::optional<size_t> FindCompileCall(const Place& place) const;

  /// All calls of the compiled function in this file, if all of them are plain, the function
  /// stands at the top level and is compiled in this file.
  std::optional<std::vector<PlainCall>> FindCalls(const Place& place) const;

 private:
  /// The name by which the compiled function is called; absent: it is not clear.
  std::optional<std::string> CompiledName(const Place& place) const;

  const std::vector<std::string>& lines_;
};

/// `line`, a torch.compile(...) whole on it, with the keyword argument `argument`, "dynamic=None":
/// None takes out "dynamic=False", which has to be there. Absent: the line is not of that form.
std::optional<std::string> WithArgument(std::string_view line, std::string_view argument);

/// `code` with each name that is a key of `names` replaced.
std::string WithNames(std::string_view code, const std::map<std::string, std::string>& names);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_PYTHON_LINES_H_
