// The state of a Project, and how names are followed in it.

#ifndef SHAPEWISE_SOURCE_PROJECT_STATE_H_
#define SHAPEWISE_SOURCE_PROJECT_STATE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/xxhash.h"
#include "source/file_names.h"
#include "source/project.h"
#include "source/unit_store.h"

namespace shapewise {

/// Interned texts that any thread may add to.
class SharedStrings {
 public:
  /// The only copy of `text`; the view lives as long as this object.
  std::string_view Intern(std::string_view text) {
    const llvm::StringRef key(text.data(), text.size());
    Shard& shard = shards_[llvm::xxHash64(key) % shards_.size()];
    const std::lock_guard lock(shard.mutex);
    // A StringSet never moves its keys.
    const llvm::StringRef kept = shard.texts.insert(key).first->getKey();
    return {kept.data(), kept.size()};
  }

 private:
  struct Shard {
    std::mutex mutex;
    llvm::StringSet<> texts;
  };

  std::array<Shard, 16> shards_;
};

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

/// One query about a name. Visits each name of each file at most once, so import cycles end.
class Resolver {
 public:
  explicit Resolver(Project::State& state) : state_(state) {}

  /// The meaning of `name` at the top level of `file`, including builtins.
  Binding Resolve(FileId file, std::string_view name);
  /// The meaning of a name, or of attributes of one, there.
  Binding ResolveDotted(FileId file, const Expr& expr);
  Binding ResolveDotted(FileId file, std::string_view dotted);

 private:
  /// The meaning of `name` as an attribute of the module `file`: submodules, but no builtins.
  Binding Member(FileId file, std::string_view name);
  Binding Own(FileId file, std::string_view name);
  Binding FromSource(FileId file, const NameSource& source);
  Binding FromSources(FileId file, llvm::ArrayRef<NameSource> sources);
  llvm::ArrayRef<StarImport> Stars(FileId file);
  Binding FromStars(FileId file, std::string_view name);
  Binding FromImport(FileId file, const Stmt& statement, std::string_view name);
  Binding Attribute(const Binding& base, std::string_view name);
  Binding Module(FileId importer, std::string_view dotted);
  Binding Lazy(FileId package, std::string_view name);
  /// The file of the module with this name, as imported from `importer`; kNoId: not in the project.
  FileId FindModule(FileId importer, std::string_view dotted) const;
  FileId FindPath(std::string_view folder, std::string_view dotted) const;
  FileId Relative(FileId file, const Stmt& statement) const;
  /// The dotted name that `from ...x import` refers to.
  std::string AbsoluteName(FileId file, const Stmt& statement) const;
  Binding Outside(std::string_view dotted);

  Project::State& state_;
  int depth_ = 0;
  bool was_cut_ = false;  // a result depends on a query that was still in progress
  llvm::DenseMap<std::pair<uint32_t, uint64_t>, Binding> visited_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_PROJECT_STATE_H_
