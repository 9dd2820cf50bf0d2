// The classes and functions in the code of one TorchScript archive, or of one text, and their
// methods as graphs.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_LIBRARY_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_LIBRARY_H_

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/torchscript/pickle_reader.h"
#include "ingest/graph_text/graph_builder.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "pyast/parser.h"

namespace shapewise {

struct CodeFile;

/// A function or a method.
struct CodeFunction {
  const CodeFile* file = nullptr;
  const pyast::FunctionDef* definition = nullptr;
};

/// A class: its methods, and the types of its fields.
struct CodeClass {
  std::string_view name;
  llvm::StringMap<CodeFunction> methods;
  std::vector<std::string_view> method_names;  ///< in order
  llvm::StringMap<std::string_view> fields;
};

/// One file, or the text of a module's `code`. All views are into its text.
struct CodeFile {
  explicit CodeFile(std::string_view code);

  std::string_view TextOf(const pyast::Node& node) const {
    return text.substr(node.span.begin, node.span.end - node.span.begin);
  }

  std::string_view text;
  llvm::BumpPtrAllocator arena;
  pyast::LineIndex lines;
  llvm::StringMap<CodeClass> classes;
  std::vector<std::string_view> class_names;  ///< in order
  llvm::StringMap<CodeFunction> functions;
  std::vector<std::string_view> function_names;  ///< in order
};

/// Classes and functions by their qualified names.
class CodeLibrary {
 public:
  /// Adds the file of `module`, "__torch__.torch.nn.modules.linear"; its text must outlive this.
  void Add(const std::string& module, std::string_view text);

  /// Null if not found.
  const CodeClass* FindClass(std::string_view name) const {
    return classes_.lookup(llvm::StringRef(name));
  }
  const CodeFunction* FindFunction(std::string_view name) const {
    return functions_.lookup(llvm::StringRef(name));
  }

  const std::deque<CodeFile>& files() const { return files_; }

 private:
  std::deque<CodeFile> files_;
  llvm::StringMap<const CodeClass*> classes_;
  llvm::StringMap<const CodeFunction*> functions_;
};

/// Whether `text` is code as TorchScript prints it: it begins with a method or a function with one
/// parameter per line, or with a class that lists its parameters.
bool LooksLikeCode(std::string_view text);

/// The input for reading methods.
struct CodeInput {
  const CodeLibrary& library;
  ModuleState* state = nullptr;      ///< data.pkl; null: not available
  ModuleState* constants = nullptr;  ///< constants.pkl; null: not available
  GraphOrigin origin;
  std::string member;  ///< path in the archive; empty: lines of the code are lines of the input
};

/// Appends the graphs of `methods`, each with its class; null: a function. Inlines calls of methods
/// and functions whose code is available, so that the graph is that of the whole module; attributes
/// that are tensors become get_attr nodes with the shapes in data.pkl. `torch.add` becomes
/// "aten::add", `ops.prim.X` "prim::X". A loop or a condition is a node with blocks, as in the IR.
/// The total work is limited, because a few lines of code can cause endless calls. Source:
/// torch/csrc/jit/serialization/python_print.cpp.
void ReadMethods(const CodeInput& input,
                 const std::vector<std::pair<const CodeClass*, CodeFunction>>& methods,
                 GraphSet& graphs);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_LIBRARY_H_
