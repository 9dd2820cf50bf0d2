// What a Python file imports, found without parsing it.

#ifndef SHAPEWISE_PIPELINE_IMPORTS_H_
#define SHAPEWISE_PIPELINE_IMPORTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace shapewise {

/// One `import module`, or one `from ..module import names`.
struct ImportLine {
  uint32_t dots = 0;                    ///< how many lead `module`
  std::string_view module;              ///< dotted; empty: `from . import name`
  std::vector<std::string_view> names;  ///< empty: `import module`; "*" may be one of them
};

/// The imports of `text`, wherever they stand in it. What only looks like one, such as a line of a
/// docstring, is taken for one. Views point into `text`.
std::vector<ImportLine> FindImports(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_IMPORTS_H_
