// Methods of TorchScript code as graphs, with the methods that they call written into them.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/formats/torchscript/code_graph.h"
#include "ingest/formats/torchscript/code_library.h"
#include "ingest/formats/torchscript/module_state.h"

namespace shapewise {

/// How deep statements and expressions may be nested; what lies deeper is not read.
inline constexpr int kMaxCodeDepth = 400;

/// What reading the methods of one input has taken so far; limited in all, since a few lines of
/// code can call each other without end.
struct CodeWork {
  size_t bytes = 0;  ///< of code that were read, those read again counted again
  size_t nodes = 0;  ///< of the methods that were read, as are the arguments
  size_t arguments = 0;
};

/// Reads one method. Calls of methods and functions whose code is at hand are followed, so that the
/// graph is that of the whole module; attributes that are tensors become get_attr nodes with the
/// shapes that data.pkl tells. `torch.add` becomes "aten::add", `ops.prim.X` "prim::X". A loop or a
/// condition is a node with blocks, as in the IR: see ir_reader.cc.
/// Source: torch/csrc/jit/serialization/python_print.cpp.
class CodeReader {
 public:
  /// `state` and `constants` are data.pkl and constants.pkl; null: not at hand. `work` is shared by
  /// all methods of the input.
  CodeReader(CodeGraph& graph, const CodeLibrary& library, ModuleState* state,
             ModuleState* constants, uint32_t input, CodeWork& work)
      : graph_(graph),
        library_(library),
        state_(state),
        constants_(constants),
        input_(input),
        work_(work) {}

  /// `self` is the object whose method it is. `is_archive`: lines of the code are not those of the
  /// input.
  void ReadMethod(const CodeFunction& method, const CodeObject& self, bool is_archive);

 private:
  struct NamedValue {
    std::string_view keyword;  ///< empty: positional
    CodeValue value;
  };

  // Statements: code_statements.cc.
  void AddPlaceholders(const CodeObject& self, const pyast::FunctionDef& method);
  void AddOutputs(const ArgumentTree& returned);
  void ReadStatements(pyast::Stmts statements);
  void ReadStatement(const pyast::Stmt& statement);
  void ReadAssignment(const pyast::Expr& target, const pyast::Expr* type,
                      const pyast::Expr& expression);
  void BindTargets(pyast::Exprs targets, const CodeValue& value, size_t values_before);
  void ReadIf(const pyast::If& statement);
  void ReadLoop(const pyast::Expr* counter, const pyast::Expr& head, pyast::Stmts body);
  void AddAssignedNames(pyast::Stmts statements, std::vector<std::string_view>& names);

  // Expressions: code_expressions.cc.
  CodeValue ReadWhole(const pyast::Expr& expression);
  CodeValue ReadExpression(const pyast::Expr& expression);
  CodeValue ReadKind(const pyast::Expr& expression);
  CodeValue ReadName(std::string_view name);
  CodeValue ReadUnary(const pyast::UnaryOp& unary);
  CodeValue ReadGroup(pyast::Exprs parts, Argument::Kind kind);
  CodeValue ReadCall(const pyast::Call& call);
  CodeValue ReadBuiltin(std::string_view name, const pyast::Call& call);
  std::vector<NamedValue> ReadArguments(const pyast::Call& call);
  std::string_view PathOf(const pyast::Expr& expression) const;
  CodeValue CallPath(std::string_view path, const std::vector<NamedValue>& arguments);
  CodeValue Attribute(const CodeValue& owner, std::string_view name);
  CodeValue Constant(std::string_view name);
  CodeValue CallMethod(const CodeValue& owner, std::string_view name,
                       const std::vector<NamedValue>& arguments);
  CodeValue CallNamed(std::string_view target, std::string_view name,
                      std::vector<ArgumentTree> first, const std::vector<NamedValue>& arguments);
  CodeValue Inline(const CodeFunction& function, const CodeObject* self,
                   const std::vector<NamedValue>& arguments);
  std::vector<ArgumentTree> ToTrees(const std::vector<NamedValue>& values);
  ArgumentTree ToTree(const CodeValue& value);
  ArgumentTree GetAttribute(const std::string& path, std::string_view name, uint32_t type);
  CodeValue Fail();

  /// Takes `bytes` of work; false once all of it is used up.
  bool Spend(size_t bytes);
  /// The value that a name stands for; taking a copy of it is work.
  CodeValue TakeBound(const CodeValue& bound);

  CodeGraph& graph_;
  const CodeLibrary& library_;
  ModuleState* state_;
  ModuleState* constants_;
  uint32_t input_;
  CodeWork& work_;
  const CodeFile* file_ = nullptr;  ///< of the function that is read
  bool is_archive_ = true;

  CodeValue returned_;
  int depth_ = 0;  // of nested expressions, blocks and calls together
  bool is_full_ = false;
  bool has_failed_ = false;  // the current expression is not understood
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_READER_H_
