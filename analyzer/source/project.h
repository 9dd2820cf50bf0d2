// The Python files of one check, and the meaning of names in them.

#ifndef SHAPEWISE_SOURCE_PROJECT_H_
#define SHAPEWISE_SOURCE_PROJECT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "syntax/outline.h"
#include "syntax/parse_unit.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// Numbers of a project's files, functions and classes.
using FileId = uint32_t;
using FunctionId = uint32_t;
using ClassId = uint32_t;
inline constexpr uint32_t kNoId = UINT32_MAX;

/// One file.
struct SourceFile {
  std::string path;       ///< as passed to AddFile, with '/' as separator
  std::string module;     ///< dotted name by which the project imports it: "pkg.models.bert"
  std::string_view text;  ///< UTF-8
  Outline outline;
  FunctionId first_function = 0;  ///< of outline.functions[0]; the others follow
  ClassId first_class = 0;        ///< of outline.classes[0]
  bool is_checked = true;         ///< false: present only because a checked file may import it
};

/// One function of the outline.
struct SourceFunction {
  FileId file = 0;
  std::string_view name;  ///< "forward"
  ClassId in_class = kNoId;
  size_t begin = 0;  ///< offset of its unit in the file: add it to places of its tree
};

/// One class of the outline.
struct SourceClass {
  FileId file = 0;
  std::string_view name;
  size_t begin = 0;                    ///< offset of its unit in the file
  llvm::ArrayRef<FunctionId> methods;  ///< in the order of the file
};

/// The meaning of a name in a file, or of a base of a class.
struct Binding {
  enum class Kind : uint8_t {
    kNone,        ///< unknown
    kFunction,    ///< id: a FunctionId
    kClass,       ///< id: a ClassId
    kModule,      ///< id: a FileId: a module of the project
    kOutside,     ///< name: dotted, "torch.nn.functional"; a builtin is "builtins.print"
    kExpression,  ///< file, expr: assigned once at top level: `ACT = {...}`, `logger =
                  ///< get_logger(..)`
  };

  Kind kind = Kind::kNone;
  uint32_t id = kNoId;
  std::string_view name{};  ///< interned; lives as long as the project
  FileId file = kNoId;      ///< the file that contains it; kNoId for kOutside
  const Expr* expr = nullptr;
};

/// A syntax fault of a parsed unit, or a fault of an outline.
struct SourceFault {
  FileId file = 0;
  FileSpan span;
  std::string message;
};

/// All files of one check. After the last AddFile, all functions are thread-safe; everything is
/// parsed at most once, and units of equal text share one tree.
class Project {
 public:
  Project();
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;
  ~Project();

  /// Adds a file; takes its text. `module` is its dotted name (see ModuleNames).
  FileId AddFile(std::string path, std::string module, std::string text, bool is_checked);
  /// The same, but without a copy of the text, which must outlive the project.
  FileId AddView(std::string path, std::string module, std::string_view text, bool is_checked);

  llvm::ArrayRef<SourceFile> files() const;
  const SourceFunction& function(FunctionId id) const;
  const SourceClass& class_of(ClassId id) const;
  /// The name of a function with those of its classes: "Attention.forward".
  std::string QualifiedName(FunctionId id) const;
  size_t num_functions() const;
  size_t num_classes() const;

  /// The function's statement (kFunction), parsed on first use; null if it cannot be parsed, and
  /// for kNoId.
  const Stmt* Tree(FunctionId id);
  /// Frees the trees of all functions and classes. Tree() and ClassTree() parse them again. Call it
  /// only while no other thread uses the project.
  void FreeTrees();
  /// The class's statement without its methods (kClass); null if it cannot be parsed.
  const Stmt* ClassTree(ClassId id);
  /// The statements of a file outside of functions and classes. Places in them, and in the expr of
  /// a kExpression, are bytes from outline.module[0].
  llvm::ArrayRef<const Stmt*> ModuleTree(FileId id);

  /// The meaning of `name` at the top level of `file`: its functions, classes, imports (followed
  /// through modules of the project, including `from x import *` and re-exports), assignments,
  /// builtins.
  Binding Resolve(FileId file, std::string_view name);
  /// The meaning of the dotted expression (a name, or attributes of one) at the top level of
  /// `file`.
  Binding ResolveDotted(FileId file, const Expr& expr);

  /// The classes of `id` in the order in which Python looks up attributes, itself first (C3, or
  /// depth first if that fails), as far as the project contains them.
  llvm::ArrayRef<ClassId> Linearization(ClassId id);
  /// Names of all bases outside of the project, through bases inside of it: "torch.nn.Module".
  llvm::ArrayRef<std::string_view> OutsideBases(ClassId id);
  /// The method `name` of objects of `id`; kNoId: none in the project. `after`: continues after
  /// that class, as super() does.
  FunctionId FindMethod(ClassId id, std::string_view name, ClassId after = kNoId);
  /// Whether objects of the class are torch.nn.Modules (see analyzer/docs/check.md).
  bool IsModule(ClassId id);

  /// The only copy of `text`; the view lives as long as the project.
  std::string_view Intern(std::string_view text);

  /// Faults of the outlines and of all parsed units so far, by file and place.
  std::vector<SourceFault> Faults() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

/// Dotted module names of files, derived from their paths: a folder with __init__.py is a package;
/// ignores "src/" and folders above the packages. Same order as `paths`.
std::vector<std::string> ModuleNames(llvm::ArrayRef<std::string> paths);

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_PROJECT_H_
