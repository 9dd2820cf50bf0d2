// Files of TorchScript code: which classes and functions they hold.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_FILE_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_FILE_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringMap.h"

namespace shapewise {

/// One line of code without its indentation.
struct CodeLine {
  size_t indent = 0;
  std::string_view text;
  size_t number = 0;  ///< 1-based
};

/// One parameter of a function: "x: Tensor=None".
struct CodeParameter {
  std::string_view name;
  std::string_view type;           ///< empty: not told
  std::string_view default_value;  ///< empty: none
};

/// A function or a method.
struct CodeFunction {
  std::string_view name;
  std::vector<CodeParameter> parameters;
  std::vector<CodeLine> body;
  size_t line = 0;  ///< of its "def"
};

/// A class: its methods, and the types of its fields.
struct CodeClass {
  std::string_view name;
  llvm::StringMap<CodeFunction> methods;
  std::vector<std::string_view> method_names;  ///< in order
  llvm::StringMap<std::string_view> fields;
};

/// One file, or the text of a module's `code`. All views are into its text.
struct CodeFile {
  llvm::StringMap<CodeClass> classes;
  std::vector<std::string_view> class_names;  ///< in order
  llvm::StringMap<CodeFunction> functions;
  std::vector<std::string_view> function_names;  ///< in order
};

/// Indexes `text`; what is no class and no function is passed over.
CodeFile ReadCodeFile(std::string_view text);

/// Whether `text` is code as TorchScript prints it: it begins with a method or a function whose
/// parameters stand one a line, or with a class that lists its parameters.
bool LooksLikeCode(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_FILE_H_
