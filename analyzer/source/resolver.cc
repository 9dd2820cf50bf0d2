// Follows names through imports.

#include <algorithm>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/xxhash.h"
#include "source/outside.h"
#include "source/outside_table.h"
#include "source/project_state.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Longer chains of imports, and queries that visit more names, do not occur in real programs.
constexpr int kMaxImports = 100;
constexpr size_t kMaxVisits = 20000;
constexpr size_t kMaxDottedName = 400;

bool IsPackage(const SourceFile& file) {
  return file.path == "__init__.py" || file.path.ends_with("/__init__.py");
}

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  return static_cast<size_t>(std::mismatch(a.begin(), a.begin() + size, b.begin()).first -
                             a.begin());
}

bool IsKnown(const Binding& binding) { return binding.kind != Binding::Kind::kNone; }

Binding OfModule(FileId file) { return {.kind = Binding::Kind::kModule, .id = file}; }

}  // namespace

Binding Resolver::Outside(std::string_view dotted) {
  return {.kind = Binding::Kind::kOutside, .name = state_.strings.Intern(CanonicalName(dotted))};
}

FileId Resolver::FindPath(std::string_view folder, std::string_view dotted) const {
  std::string path(folder);
  if (!path.empty() && !dotted.empty()) path += '/';
  for (const char c : dotted) path += c == '.' ? '/' : c;
  if (!dotted.empty()) {
    const auto file = state_.by_path.find(path + ".py");
    if (file != state_.by_path.end()) return file->second;
  }
  const auto package = state_.by_path.find(path.empty() ? "__init__.py" : path + "/__init__.py");
  return package == state_.by_path.end() ? kNoId : package->second;
}

FileId Resolver::FindModule(FileId importer, std::string_view dotted) const {
  const SourceFile& from = state_.files[importer];
  const std::string_view folder = FolderOf(from.path);
  const auto found = state_.by_module.find(llvm::StringRef(dotted));
  if (found != state_.by_module.end()) {
    // If several trees contain such a module, use the one that contains the importer.
    return *std::max_element(found->second.begin(), found->second.end(), [&](FileId a, FileId b) {
      const size_t near_a = CommonPrefix(state_.files[a].path, from.path);
      const size_t near_b = CommonPrefix(state_.files[b].path, from.path);
      return near_a != near_b ? near_a < near_b : a > b;
    });
  }
  // A script can import its neighbours; a module of a package cannot.
  if (FindPath(folder, "") != kNoId) return kNoId;
  return FindPath(folder, dotted);
}

FileId Resolver::Relative(FileId file, const Stmt& statement) const {
  std::string_view folder = FolderOf(state_.files[file].path);
  for (int i = 1; i < statement.dots; ++i) {
    if (folder.empty()) return kNoId;
    folder = FolderOf(folder);
  }
  return FindPath(folder, statement.text);
}

std::string Resolver::AbsoluteName(FileId file, const Stmt& statement) const {
  if (statement.dots == 0) return std::string(statement.text);
  std::string_view package = state_.files[file].module;
  int up = statement.dots - (IsPackage(state_.files[file]) ? 1 : 0);
  for (; up > 0 && !package.empty(); --up) {
    const size_t dot = package.rfind('.');
    package = dot == std::string_view::npos ? std::string_view() : package.substr(0, dot);
  }
  std::string name(package);
  if (!name.empty() && !statement.text.empty()) name += '.';
  return name += statement.text;
}

Binding Resolver::Module(FileId importer, std::string_view dotted) {
  const FileId file = FindModule(importer, dotted);
  return file != kNoId ? OfModule(file) : Outside(dotted);
}

/// A name that a package defines lazily: searched in its modules.
Binding Resolver::Lazy(FileId package, std::string_view name) {
  const SourceFile& file = state_.files[package];
  if (!IsPackage(file)) return {};
  FileState& memory = state_.file_states[package];
  std::call_once(memory.lazy_read, [&] {
    memory.is_lazy = file.text.find("__getattr__") != std::string_view::npos ||
                     file.text.find("_LazyModule") != std::string_view::npos ||
                     file.text.find("lazy_loader") != std::string_view::npos;
  });
  if (!memory.is_lazy) return {};
  const auto* definitions = state_.Definitions(name);
  if (definitions == nullptr) return {};
  for (const Binding& definition : *definitions) {
    const std::string_view module = state_.files[definition.file].module;
    if (module.size() > file.module.size() && module.starts_with(file.module) &&
        module[file.module.size()] == '.') {
      return definition;
    }
  }
  return {};
}

Binding Resolver::FromImport(FileId file, const Stmt& statement, std::string_view name) {
  FileId module = kNoId;
  std::string dotted;
  if (statement.dots != 0) module = Relative(file, statement);
  if (module == kNoId) {
    dotted = AbsoluteName(file, statement);
    if (!dotted.empty()) module = FindModule(file, dotted);
  }
  if (module != kNoId) {
    const Binding member = Member(module, name);
    return IsKnown(member) ? member : Lazy(module, name);
  }
  if (!dotted.empty()) dotted += '.';
  dotted += name;
  return Module(file, dotted);
}

Binding Resolver::FromSource(FileId file, const NameSource& source) {
  switch (source.kind) {
    case NameSource::Kind::kFunction:
      return {.kind = Binding::Kind::kFunction, .id = source.id, .file = file};
    case NameSource::Kind::kClass:
      return {.kind = Binding::Kind::kClass, .id = source.id, .file = file};
    case NameSource::Kind::kImport: {
      const std::string_view dotted = source.imported->name;
      return Module(file,
                    source.imported->as.empty() ? dotted.substr(0, dotted.find('.')) : dotted);
    }
    case NameSource::Kind::kImportFrom:
      return FromImport(file, *source.statement, source.imported->name);
    case NameSource::Kind::kExpression: {
      if (source.expr == nullptr) return {};
      const Binding alias = ResolveDotted(file, *source.expr);
      if (IsKnown(alias)) return alias;
      return {.kind = Binding::Kind::kExpression, .file = file, .expr = source.expr};
    }
  }
  return {};
}

Binding Resolver::FromSources(FileId file, llvm::ArrayRef<NameSource> sources) {
  const auto is_expression = [](const NameSource& source) {
    return source.kind == NameSource::Kind::kExpression &&
           source.rank != NameSource::Rank::kNothing;
  };
  const bool is_varied = std::count_if(sources.begin(), sources.end(), is_expression) > 1;
  const bool is_defined = std::any_of(sources.begin(), sources.end(), [](const NameSource& source) {
    return source.kind == NameSource::Kind::kFunction || source.kind == NameSource::Kind::kClass;
  });
  for (const NameSource& source : sources) {
    // f = wrapped(f): f still runs.
    if (is_expression(source) && is_defined) continue;
    const Binding binding = FromSource(file, source);
    if (binding.kind == Binding::Kind::kExpression && is_varied) continue;
    if (IsKnown(binding)) return binding;
  }
  return {};
}

llvm::ArrayRef<StarImport> Resolver::Stars(FileId file) {
  FileState& memory = state_.file_states[file];
  std::call_once(memory.stars_read, [&] {
    llvm::DenseSet<FileId> modules;
    llvm::StringSet<> outside;
    for (const Stmt* star : state_.Names(file).stars) {
      StarImport import;
      if (star->dots != 0) import.module = Relative(file, *star);
      if (import.module == kNoId) {
        import.outside = AbsoluteName(file, *star);
        if (!import.outside.empty()) import.module = FindModule(file, import.outside);
      }
      // Nothing is known about modules that are neither in the project nor in the tables.
      const bool is_known = import.module != kNoId || HasOutside(import.outside + ".");
      const bool is_new = import.module != kNoId ? modules.insert(import.module).second
                                                 : outside.insert(import.outside).second;
      if (is_known && is_new) memory.stars.push_back(std::move(import));
    }
  });
  return memory.stars;
}

Binding Resolver::FromStars(FileId file, std::string_view name) {
  if (name.starts_with("__")) return {};
  for (const StarImport& star : Stars(file)) {
    if (star.module == kNoId) {
      // Only names in the tables are certain to exist.
      const std::string dotted = star.outside + "." + std::string(name);
      if (FindOutside(dotted).group != nullptr) return Outside(dotted);
      continue;
    }
    // Most files do not even contain the word.
    if (!state_.MayHave(star.module, name) || !state_.Names(star.module).Exports(name)) continue;
    const Binding binding = Own(star.module, name);
    if (IsKnown(binding)) return binding;
  }
  return {};
}

Binding Resolver::Own(FileId file, std::string_view name) {
  const std::pair<uint32_t, uint64_t> key(file, llvm::xxHash64(llvm::StringRef(name)) >> 1);
  const auto [entry, is_new] = visited_.try_emplace(key);
  if (!is_new || depth_ > kMaxImports || visited_.size() > kMaxVisits) {
    // Already queried: still in progress, or known to have no result within this query.
    was_cut_ |= !IsKnown(entry->second);
    return entry->second;
  }
  ++depth_;
  const FileNames& names = state_.Names(file);
  Binding binding;
  const llvm::ArrayRef<NameSource> sources = names.Find(name);
  if (!sources.empty()) binding = FromSources(file, sources);
  if (!IsKnown(binding)) binding = FromStars(file, name);
  --depth_;
  visited_[key] = binding;
  return binding;
}

Binding Resolver::Member(FileId file, std::string_view name) {
  const Binding own = Own(file, name);
  if (IsKnown(own)) return own;
  const SourceFile& source = state_.files[file];
  if (!IsPackage(source)) return {};
  const FileId submodule = FindPath(FolderOf(source.path), name);
  return submodule != kNoId ? OfModule(submodule) : Binding();
}

Binding Resolver::Resolve(FileId file, std::string_view name) {
  FileState& memory = state_.file_states[file];
  const bool is_first = depth_ == 0;
  {
    const std::lock_guard lock(memory.mutex);
    const auto known = memory.resolved.find(llvm::StringRef(name));
    if (known != memory.resolved.end()) return known->second;
  }
  Binding binding = Own(file, name);
  if (!IsKnown(binding)) {
    const OutsideRow builtin = FindOutside("builtins.", name);
    if (builtin.group != nullptr) {
      binding = {.kind = Binding::Kind::kOutside, .name = builtin.name};
    }
  }
  if (is_first || !was_cut_) {
    const std::lock_guard lock(memory.mutex);
    memory.resolved.try_emplace(llvm::StringRef(name), binding);
  }
  return binding;
}

Binding Resolver::Attribute(const Binding& base, std::string_view name) {
  switch (base.kind) {
    case Binding::Kind::kModule: {
      const Binding member = Member(base.id, name);
      return IsKnown(member) ? member : Lazy(base.id, name);
    }
    case Binding::Kind::kOutside: {
      if (base.name.size() + name.size() > kMaxDottedName) return {};
      std::string dotted(base.name);
      dotted += '.';
      dotted += name;
      const auto module = state_.by_module.find(dotted);
      return module != state_.by_module.end() ? OfModule(module->second.front()) : Outside(dotted);
    }
    case Binding::Kind::kClass: {
      // Its own methods only: callers that know its bases handle inherited ones.
      const FunctionId method = state_.FirstMethod(base.id, name);
      if (method != kNoId) {
        return {
            .kind = Binding::Kind::kFunction, .id = method, .file = state_.classes[base.id].file};
      }
      const ClassId nested = state_.NestedClass(base.id, name);
      if (nested == kNoId) return {};
      return {.kind = Binding::Kind::kClass, .id = nested, .file = state_.classes[nested].file};
    }
    default:
      return {};
  }
}

Binding Resolver::ResolveDotted(FileId file, const Expr& expr) {
  llvm::SmallVector<std::string_view, 8> names;
  const Expr* base = &expr;
  while (base->kind == PythonExprKind::kAttribute && names.size() < 32) {
    names.push_back(base->text);
    base = base->left;
  }
  if (base->kind != PythonExprKind::kName) return {};
  Binding binding = Resolve(file, base->text);
  for (auto name = names.rbegin(); name != names.rend() && IsKnown(binding); ++name) {
    binding = Attribute(binding, *name);
  }
  return binding;
}

Binding Resolver::ResolveDotted(FileId file, std::string_view dotted) {
  size_t end = dotted.find('.');
  Binding binding = Resolve(file, dotted.substr(0, end));
  while (end != std::string_view::npos && IsKnown(binding)) {
    const size_t begin = end + 1;
    end = dotted.find('.', begin);
    binding = Attribute(binding, dotted.substr(begin, end - begin));
  }
  return binding;
}

}  // namespace shapewise
