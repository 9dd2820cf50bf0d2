// Names followed through imports.

#ifndef SHAPEWISE_SOURCE_RESOLVER_H_
#define SHAPEWISE_SOURCE_RESOLVER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "source/project_state.h"

namespace shapewise {

/// One question about a name. Visits each name of each file at most once, so import cycles end.
class Resolver {
 public:
  explicit Resolver(Project::State& state) : state_(state) {}

  /// What `name` means at the top level of `file`, builtins included.
  Binding Resolve(FileId file, std::string_view name);
  /// What a name, or attributes of one, means there.
  Binding ResolveDotted(FileId file, const Expr& expr);
  Binding ResolveDotted(FileId file, std::string_view dotted);

 private:
  /// What `name` is as an attribute of the module `file`: no builtins, but submodules.
  Binding Member(FileId file, std::string_view name);
  Binding Own(FileId file, std::string_view name);
  Binding FromSource(FileId file, const NameSource& source);
  Binding FromSources(FileId file, llvm::ArrayRef<NameSource> sources);
  llvm::ArrayRef<StarImport> Stars(FileId file);
  Binding FromStars(FileId file, std::string_view name);
  Binding FromImport(FileId file, const Stmt& statement, std::string_view name);
  Binding Attribute(const Binding& base, std::string_view name);
  Binding Followed(FileId file, const Expr& expr);
  Binding Module(FileId importer, std::string_view dotted);
  Binding Lazy(FileId package, std::string_view name);
  /// The file that a module of this name is, seen from `importer`; kNoId: the project has none.
  FileId FindModule(FileId importer, std::string_view dotted) const;
  FileId FindPath(std::string_view folder, std::string_view dotted) const;
  FileId Relative(FileId file, const Stmt& statement) const;
  /// The dotted name that `from ...x import` speaks of.
  std::string AbsoluteName(FileId file, const Stmt& statement) const;
  Binding Outside(std::string_view dotted);

  Project::State& state_;
  int depth_ = 0;
  bool was_cut_ = false;  // an answer rests on a question that was still open
  llvm::DenseMap<std::pair<uint32_t, uint64_t>, Binding> visited_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_RESOLVER_H_
