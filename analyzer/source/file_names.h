// The definitions of names in one file, without looking at other files.

#ifndef SHAPEWISE_SOURCE_FILE_NAMES_H_
#define SHAPEWISE_SOURCE_FILE_NAMES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"
#include "source/project.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// One statement that defines a name.
struct NameSource {
  enum class Kind : uint8_t { kFunction, kClass, kImport, kImportFrom, kExpression };
  /// How likely this definition is the effective one, the best first.
  enum class Rank : uint8_t {
    kUsual,
    kFallback,  ///< in an else or except branch, or a function defined under a condition
    kNothing,   ///< name = None
  };

  std::string_view name{};
  Kind kind = Kind::kExpression;
  Rank rank = Rank::kUsual;
  uint32_t id = kNoId;  ///< of a function or class
  uint32_t place = 0;   ///< in the file
  const Stmt* statement = nullptr;
  const ImportedName* imported = nullptr;
  const Expr* expr = nullptr;
};

/// The definitions of all names of one file.
struct FileNames {
  std::vector<NameSource> sources;  ///< by name, the best first
  std::vector<const Stmt*> stars;   ///< `from x import *`, the last one first
  bool has_all = false;             ///< `__all__` is a list of literals
  bool is_all_open = false;         ///< it is extended elsewhere
  llvm::StringSet<> all;

  /// The definitions of `name`, the best first.
  llvm::ArrayRef<NameSource> Find(std::string_view name) const;
  /// Whether `from file import *` imports `name`.
  bool Exports(std::string_view name) const;
};

/// Reads the names of `file`, whose top-level statements are `module`.
FileNames ReadFileNames(const SourceFile& file, llvm::ArrayRef<const Stmt*> module);

/// All words at the top level of a file. Most queries about names go to files that do not contain
/// the name, and are answered without parsing them.
class TopLevelWords {
 public:
  /// Reads the lines of `file` outside of functions and classes.
  void Read(const SourceFile& file);
  /// False: neither a statement at top level nor a definition contains the word `name`.
  bool MayHave(std::string_view name) const;
  bool has_stars() const { return has_stars_; }

 private:
  std::vector<uint32_t> hashes_;  // ascending
  bool has_stars_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_FILE_NAMES_H_
