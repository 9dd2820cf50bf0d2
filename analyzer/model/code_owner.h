// Whose code a file is.

#ifndef SHAPEWISE_MODEL_CODE_OWNER_H_
#define SHAPEWISE_MODEL_CODE_OWNER_H_

#include <string_view>

namespace shapewise {

/// The user, or a library that the user does not edit. Views point into the path.
struct CodeOwner {
  std::string_view library;  ///< "torch", "python", "einops"; empty: the user
  std::string_view version;  ///< where the path states it, as Python's and those of eggs do

  bool IsUser() const { return library.empty(); }
};

/// The owner of `file`: PyTorch, PyTorch/XLA, Python, an installed package, or else the user.
/// Comments of guards print files of libraries relative to where they are installed:
/// "nn/functional.py".
CodeOwner OwnerOf(std::string_view file);

/// `file` as users know it: below the folder of installed packages it begins with the package
/// ("dion/dion2.py"); other files keep their path.
std::string_view PathFromPackage(std::string_view file);

/// Whether `file` is not the user's.
inline bool IsLibraryFile(std::string_view file) { return !OwnerOf(file).IsUser(); }

/// Whether `file` is of an installed package other than PyTorch and what comes with it. The package
/// may be the user's own.
bool IsOtherPackage(std::string_view file);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_CODE_OWNER_H_
