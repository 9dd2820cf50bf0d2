#include "source/project.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "llvm/ADT/StringSet.h"
#include "source/project_state.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// The statement of a unit that is one function or class; null: it could not be parsed.
const Stmt* OnlyStatement(const StoredUnit& unit, StmtKind kind) {
  for (const Stmt* statement : unit.parsed.body) {
    if (statement->kind == kind) return statement;
  }
  return nullptr;
}

/// Adds the faults of `unit`, which starts at `begin` in its file.
void AddFaults(const UnitStore::Slot& slot, const SourceFile& file, FileId id, size_t begin,
               std::vector<SourceFault>& faults) {
  const StoredUnit* unit = slot.load(std::memory_order_acquire);
  if (unit == nullptr) return;
  const bool is_reported = std::any_of(
      file.outline.faults.begin(), file.outline.faults.end(), [&](const OutlineFault& fault) {
        return fault.offset >= begin && fault.offset < begin + unit->text.size();
      });
  if (is_reported) return;
  for (const SyntaxFault& fault : unit->parsed.faults) {
    faults.push_back({.file = id,
                      .span = {begin + fault.span.begin, begin + fault.span.end},
                      .message = fault.message});
  }
}

/// `ranges` extended to `end`: adds an empty range if the last part was cut out, so that a head
/// whose body contains only functions is known to have one.
llvm::SmallVector<FileSpan, 8> UpTo(llvm::ArrayRef<FileSpan> ranges, size_t end) {
  llvm::SmallVector<FileSpan, 8> all(ranges.begin(), ranges.end());
  if (!all.empty() && all.back().end < end) all.push_back({end, end});
  return all;
}

size_t BeginOf(llvm::ArrayRef<FileSpan> ranges) {
  return ranges.empty() ? 0 : ranges.front().begin;
}

/// Folders with an __init__.py; the empty path for one in the root.
class Packages {
 public:
  explicit Packages(llvm::ArrayRef<std::string> paths) {
    for (const std::string_view path : paths) {
      const std::string_view folder = FolderOf(path);
      const std::string_view name = path.substr(path.rfind('/') + 1);
      if (name == "__init__.py" && !folder.empty()) {
        folders_.insert(llvm::StringRef(folder));
      }
    }
  }

  bool Has(std::string_view folder) const { return folders_.contains(llvm::StringRef(folder)); }

  /// The folder above the packages that contain `folder`; false: it is in none.
  bool FindRoot(std::string_view folder, std::string_view& root) const {
    // A folder without __init__.py inside a package is still imported through it.
    while (!folder.empty() && !Has(folder)) folder = FolderOf(folder);
    if (folder.empty()) return false;
    while (!folder.empty() && Has(folder)) folder = FolderOf(folder);
    root = folder;
    return true;
  }

 private:
  llvm::StringSet<> folders_;
};

/// The longest common folder of all paths.
std::string_view CommonFolder(llvm::ArrayRef<std::string> paths) {
  if (paths.empty()) return {};
  std::string_view common = FolderOf(paths.front());
  for (const std::string_view path : paths) {
    while (!common.empty() && !(path.starts_with(common) && path.size() > common.size() &&
                                path[common.size()] == '/')) {
      common = FolderOf(common);
    }
  }
  return common;
}

std::string ModuleName(std::string_view path, std::string_view root, bool is_package) {
  if (!root.empty() && path.size() > root.size()) path.remove_prefix(root.size());
  while (path.starts_with('/') || path.starts_with("./")) {
    path.remove_prefix(path.front() == '/' ? 1 : 2);
  }
  if (!is_package && path.starts_with("src/")) path.remove_prefix(4);
  const size_t slash = path.rfind('/');
  const size_t dot = path.rfind('.');
  if (dot != std::string_view::npos && (slash == std::string_view::npos || dot > slash)) {
    path = path.substr(0, dot);
  }
  if (path.ends_with("/__init__")) path = FolderOf(path);
  std::string name(path);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

}  // namespace

Project::Project() : state_(std::make_unique<State>()) {}
Project::~Project() = default;

FileId Project::AddFile(std::string path, std::string module, std::string text, bool is_checked) {
  state_->owned_texts.push_back(std::move(text));
  return AddView(std::move(path), std::move(module), state_->owned_texts.back(), is_checked);
}

FileId Project::AddView(std::string path, std::string module, std::string_view text,
                        bool is_checked) {
  State& state = *state_;
  const auto id = static_cast<FileId>(state.files.size());
  state.file_states.emplace_back();
  SourceFile& file = state.files.emplace_back();
  file.path = std::move(path);
  file.module = std::move(module);
  file.text = text;
  file.outline = OutlinePython(file.text);
  file.first_function = static_cast<FunctionId>(state.functions.size());
  file.first_class = static_cast<ClassId>(state.classes.size());
  file.is_checked = is_checked;
  if (!file.module.empty()) state.by_module[file.module].push_back(id);
  state.by_path.try_emplace(file.path, id);

  const Outline& outline = file.outline;
  std::vector<std::vector<FunctionId>> methods(outline.classes.size());
  for (const OutlinedFunction& outlined : outline.functions) {
    const auto function = static_cast<FunctionId>(state.functions.size());
    const bool is_method = outlined.in_class >= 0;
    if (is_method) methods[outlined.in_class].push_back(function);
    state.functions.push_back({.file = id,
                               .name = outlined.name,
                               .in_class = is_method ? file.first_class + outlined.in_class : kNoId,
                               .begin = outlined.span.begin});
    state.function_units.emplace_back(nullptr);
  }
  for (size_t i = 0; i < outline.classes.size(); ++i) {
    const OutlinedClass& outlined = outline.classes[i];
    state.classes.push_back({.file = id,
                             .name = outlined.name,
                             .begin = BeginOf(outlined.own),
                             .methods = llvm::ArrayRef(methods[i]).copy(state.method_lists)});
    state.class_states.emplace_back();
  }
  return id;
}

llvm::ArrayRef<SourceFile> Project::files() const { return state_->files; }
const SourceFunction& Project::function(FunctionId id) const { return state_->functions[id]; }
const SourceClass& Project::class_of(ClassId id) const { return state_->classes[id]; }
std::string Project::QualifiedName(FunctionId id) const {
  const Outline& outline = state_->files[function(id).file].outline;
  const ClassId first = state_->files[function(id).file].first_class;
  std::string text(function(id).name);
  const ClassId owner = function(id).in_class;
  for (int32_t outer = owner != kNoId ? static_cast<int32_t>(owner - first) : -1; outer >= 0;
       outer = outline.classes[outer].in_class) {
    text.insert(0, ".").insert(0, outline.classes[outer].name);
  }
  return text;
}

size_t Project::num_functions() const { return state_->functions.size(); }
size_t Project::num_classes() const { return state_->classes.size(); }

const Stmt* Project::Tree(FunctionId id) {
  if (id == kNoId) return nullptr;
  const SourceFile& file = state_->files[state_->functions[id].file];
  const FileSpan& span = file.outline.functions[id - file.first_function].span;
  return OnlyStatement(
      state_->units.Get(state_->function_units[id], file.text, span, /*is_freeable=*/true),
      StmtKind::kFunction);
}

void Project::FreeTrees() { state_->units.FreeTrees(); }

const Stmt* Project::State::ClassTree(ClassId id) {
  const SourceFile& file = files[classes[id].file];
  const OutlinedClass& outlined = file.outline.classes[id - file.first_class];
  return OnlyStatement(units.Get(class_states[id].unit, file.text,
                                 UpTo(outlined.own, outlined.span.end), /*is_freeable=*/true),
                       StmtKind::kClass);
}

llvm::ArrayRef<const Stmt*> Project::State::ModuleTree(FileId id) {
  const SourceFile& file = files[id];
  return units.Get(file_states[id].module, file.text, UpTo(file.outline.module, file.text.size()))
      .parsed.body;
}

const FileNames& Project::State::Names(FileId id) {
  FileState& memory = file_states[id];
  std::call_once(memory.names_read,
                 [&] { memory.names = ReadFileNames(files[id], ModuleTree(id)); });
  return memory.names;
}

bool Project::State::MayHave(FileId id, std::string_view name) {
  FileState& memory = file_states[id];
  std::call_once(memory.words_read, [&] { memory.words.Read(files[id]); });
  return memory.words.has_stars() || memory.words.MayHave(name);
}

const llvm::SmallVector<Binding, 1>* Project::State::Definitions(std::string_view name) {
  std::call_once(definitions_indexed, [&] {
    for (FileId id = 0; id < files.size(); ++id) {
      const SourceFile& file = files[id];
      for (size_t i = 0; i < file.outline.functions.size(); ++i) {
        const OutlinedFunction& function = file.outline.functions[i];
        if (function.in_class >= 0) continue;
        definitions[llvm::StringRef(function.name)].push_back(
            {.kind = Binding::Kind::kFunction,
             .id = file.first_function + static_cast<FunctionId>(i),
             .file = id});
      }
      for (size_t i = 0; i < file.outline.classes.size(); ++i) {
        const OutlinedClass& outlined = file.outline.classes[i];
        if (outlined.in_class >= 0) continue;
        definitions[llvm::StringRef(outlined.name)].push_back(
            {.kind = Binding::Kind::kClass,
             .id = file.first_class + static_cast<ClassId>(i),
             .file = id});
      }
    }
  });
  const auto found = definitions.find(llvm::StringRef(name));
  return found == definitions.end() ? nullptr : &found->second;
}

const Stmt* Project::ClassTree(ClassId id) { return state_->ClassTree(id); }
llvm::ArrayRef<const Stmt*> Project::ModuleTree(FileId id) { return state_->ModuleTree(id); }

Binding Project::Resolve(FileId file, std::string_view name) {
  return Resolver(*state_).Resolve(file, name);
}

Binding Project::ResolveDotted(FileId file, const Expr& expr) {
  const Binding binding = Resolver(*state_).ResolveDotted(file, expr);
  if (binding.kind != Binding::Kind::kNone || expr.kind != PythonExprKind::kAttribute) {
    return binding;
  }
  // A method that a class inherits.
  const Binding owner = Resolver(*state_).ResolveDotted(file, *expr.left);
  if (owner.kind != Binding::Kind::kClass) return binding;
  const FunctionId method = FindMethod(owner.id, expr.text);
  if (method == kNoId) return binding;
  return {.kind = Binding::Kind::kFunction, .id = method, .file = function(method).file};
}

llvm::ArrayRef<ClassId> Project::Linearization(ClassId id) { return state_->Bases(id).order; }

llvm::ArrayRef<std::string_view> Project::OutsideBases(ClassId id) {
  return state_->Bases(id).outside;
}

bool Project::IsModule(ClassId id) { return state_->Bases(id).is_module; }

FunctionId Project::FindMethod(ClassId id, std::string_view name, ClassId after) {
  llvm::ArrayRef<ClassId> order = Linearization(id);
  if (after != kNoId) {
    const auto* place = std::find(order.begin(), order.end(), after);
    // super() in a class that is not a base of this one: only its own bases are known.
    order = place != order.end() ? order.slice(place - order.begin())
                                 : llvm::ArrayRef(Linearization(after));
    order = order.drop_front();
  }
  return state_->FirstMethod(order, name);
}

std::string_view Project::Intern(std::string_view text) { return state_->strings.Intern(text); }

std::vector<SourceFault> Project::Faults() const {
  std::vector<SourceFault> faults;
  for (FileId id = 0; id < state_->files.size(); ++id) {
    const SourceFile& file = state_->files[id];
    const size_t first = faults.size();
    for (const OutlineFault& fault : file.outline.faults) {
      faults.push_back({.file = id,
                        .span = {fault.offset, std::min(fault.offset + 1, file.text.size())},
                        .message = std::string(fault.message)});
    }
    for (size_t i = 0; i < file.outline.functions.size(); ++i) {
      AddFaults(state_->function_units[file.first_function + i], file, id,
                file.outline.functions[i].span.begin, faults);
    }
    for (size_t i = 0; i < file.outline.classes.size(); ++i) {
      AddFaults(state_->class_states[file.first_class + i].unit, file, id,
                BeginOf(file.outline.classes[i].own), faults);
    }
    AddFaults(state_->file_states[id].module, file, id, BeginOf(file.outline.module), faults);
    std::sort(faults.begin() + static_cast<std::ptrdiff_t>(first), faults.end(),
              [](const SourceFault& a, const SourceFault& b) {
                return std::tie(a.span.begin, a.span.end, a.message) <
                       std::tie(b.span.begin, b.span.end, b.message);
              });
  }
  return faults;
}

std::vector<std::string> ModuleNames(llvm::ArrayRef<std::string> paths) {
  const Packages packages(paths);
  const std::string_view common = CommonFolder(paths);
  std::vector<std::string> names;
  names.reserve(paths.size());
  for (const std::string_view path : paths) {
    std::string_view root = common;
    const bool is_package = packages.FindRoot(FolderOf(path), root);
    names.push_back(ModuleName(path, root, is_package));
  }
  return names;
}

}  // namespace shapewise
