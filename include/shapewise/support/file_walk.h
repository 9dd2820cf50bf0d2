// Folders walked for files of one sort, without entering what nobody wants looked at.

#ifndef SHAPEWISE_SUPPORT_FILE_WALK_H_
#define SHAPEWISE_SUPPORT_FILE_WALK_H_

#include <string>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// The regular files below `folder`, and links to such, in byte order of their paths. `wanted` is
/// asked about each file and folder, by its path; a folder that is not wanted is not entered, nor
/// is one that is a link, so that no loop can arise. A folder below that cannot be read is among
/// the files, so that reading it tells why. Error: `folder` cannot be read.
Expected<std::vector<std::string>> WalkFiles(
    const std::string& folder,
    llvm::function_ref<bool(llvm::StringRef path, bool is_folder)> wanted);

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_FILE_WALK_H_
