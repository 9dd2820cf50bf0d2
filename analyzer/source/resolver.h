// Follows names through imports.

#ifndef SHAPEWISE_SOURCE_RESOLVER_H_
#define SHAPEWISE_SOURCE_RESOLVER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "source/project_state.h"

namespace shapewise {

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
  Binding Followed(FileId file, const Expr& expr);
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

#endif  // SHAPEWISE_SOURCE_RESOLVER_H_
