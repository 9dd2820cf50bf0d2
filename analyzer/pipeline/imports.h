// Finds the imports of a Python file without parsing it.

#ifndef SHAPEWISE_PIPELINE_IMPORTS_H_
#define SHAPEWISE_PIPELINE_IMPORTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace shapewise {

/// An `import module` or `from ..module import names` statement.
struct ImportLine {
  uint32_t dots = 0;                    ///< number of leading dots
  std::string_view module;              ///< dotted; empty: `from . import name`
  std::vector<std::string_view> names;  ///< empty: `import module`; "*" may be one of them
};

/// All imports in `text`. Text that only looks like one, such as a line in a docstring, is
/// included. Views point into `text`.
std::vector<ImportLine> FindImports(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_IMPORTS_H_
