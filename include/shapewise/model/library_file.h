// Files that are not the user's.

#ifndef SHAPEWISE_MODEL_LIBRARY_FILE_H_
#define SHAPEWISE_MODEL_LIBRARY_FILE_H_

#include <string_view>

namespace shapewise {

/// Whether `file` belongs to PyTorch, PyTorch/XLA, Python or an installed package. Comments of
/// guards print library files relative to where they are installed: "nn/functional.py".
bool IsLibraryFile(std::string_view file);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_LIBRARY_FILE_H_
