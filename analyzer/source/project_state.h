// The state of a Project.

#ifndef SHAPEWISE_SOURCE_PROJECT_STATE_H_
#define SHAPEWISE_SOURCE_PROJECT_STATE_H_

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "source/file_names.h"
#include "source/project.h"
#include "source/shared_strings.h"
#include "source/unit_store.h"

namespace shapewise {

/// One `from x import *`.
struct StarImport {
  FileId module = kNoId;  ///< kNoId: not in the project
  std::string outside;    ///< its dotted name in that case
};

/// Data about a file that is computed on first use.
struct FileState {
  UnitStore::Slot module{nullptr};
  std::once_flag names_read;
  FileNames names;
  std::once_flag lazy_read;
  bool is_lazy = false;  ///< it looks names up on first use
  std::once_flag words_read;
  TopLevelWords words;
  std::once_flag stars_read;
  std::vector<StarImport> stars;      // the last one first
  std::mutex mutex;                   // of `resolved`
  llvm::StringMap<Binding> resolved;  // names that were looked up
};

/// The resolved bases of a class.
struct ClassBases {
  std::vector<ClassId> direct;  ///< in the project
  std::vector<ClassId> order;   ///< itself first
  std::vector<std::string_view> outside;
  bool is_module = false;
  bool is_in_cycle = false;  ///< it is among its own bases, or depends on a class that is
};

struct ClassState {
  UnitStore::Slot unit{nullptr};
  std::atomic<const ClassBases*> bases{nullptr};
  std::once_flag own_methods_read;
  std::vector<std::pair<uint32_t, FunctionId>> own_methods;  ///< by the hash of the name
};

struct Project::State {
  // Written by AddFile only.
  std::deque<std::string> owned_texts;
  std::vector<SourceFile> files;
  std::deque<SourceFunction> functions;
  std::deque<SourceClass> classes;
  std::deque<FileState> file_states;
  std::deque<UnitStore::Slot> function_units;
  std::deque<ClassState> class_states;
  llvm::BumpPtrAllocator method_lists;
  llvm::StringMap<llvm::SmallVector<FileId, 1>> by_module;
  llvm::StringMap<FileId> by_path;

  // Filled on demand, from any thread.
  UnitStore units;
  SharedStrings strings;
  std::mutex bases_mutex;  // of stored_bases
  std::deque<ClassBases> stored_bases;
  std::once_flag definitions_indexed;
  /// Top-level functions and classes of all files, by name.
  llvm::StringMap<llvm::SmallVector<Binding, 1>> definitions;

  llvm::ArrayRef<const Stmt*> ModuleTree(FileId id);
  const FileNames& Names(FileId id);
  const Stmt* ClassTree(ClassId id);
  /// The first of the classes' own methods of this name; kNoId if not found.
  FunctionId FirstMethod(llvm::ArrayRef<ClassId> ids, std::string_view name);
  /// The class nested in the class `id`; kNoId if not found.
  ClassId NestedClass(ClassId id, std::string_view name) const;
  const ClassBases& Bases(ClassId id);
  /// Whether looking up `name` in the file can succeed; does not parse the file.
  bool MayHave(FileId id, std::string_view name);
  const llvm::SmallVector<Binding, 1>* Definitions(std::string_view name);
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_PROJECT_STATE_H_
