// Methods of TorchScript code as graphs, with the methods that they call written into them.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_READER_H_

#include <cstddef>
#include <cstdint>
#include <span>
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
/// condition is a node with blocks, as in the IR: see ReadIrGraphs.
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
  using Lines = std::span<const CodeLine>;
  struct NamedValue {
    std::string_view keyword;  ///< empty: positional
    CodeValue value;
  };

  // Statements: code_statements.cc.
  void AddPlaceholders(const CodeFunction& method, const CodeObject& self);
  void AddOutputs(const ArgumentTree& returned);
  void ReadStatements(Lines lines);
  void ReadStatement(const CodeLine& line);
  void ReadAssignment(std::string_view targets, std::string_view expression);
  void BindTargets(const std::vector<std::string_view>& targets, const CodeValue& value,
                   size_t values_before);
  void ReadIf(const CodeLine& head, Lines body, Lines otherwise);
  void ReadLoop(const CodeLine& head, Lines body);
  std::vector<std::string_view> AssignedNames(Lines lines);

  // Expressions: code_expressions.cc. What is left of `text` is behind the expression.
  CodeValue ReadWhole(std::string_view text);
  CodeValue ReadExpression(std::string_view& text);
  CodeValue ReadPostfix(std::string_view& text);
  CodeValue ReadPrimary(std::string_view& text);
  CodeValue ReadName(std::string_view& text);
  std::vector<NamedValue> ReadList(std::string_view& text, char close);
  CodeValue ReadGroup(std::string_view& text);
  CodeValue ReadDict(std::string_view& text);
  CodeValue ReadPath(std::string_view path, std::string_view& text);
  CodeValue CallPath(std::string_view path, const std::vector<NamedValue>& arguments);
  CodeValue ReadBuiltin(std::string_view name, std::string_view& text);
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
  bool is_archive_ = true;

  CodeValue returned_;
  int depth_ = 0;  // of nested expressions, blocks and calls together
  bool is_full_ = false;
  bool has_failed_ = false;  // the current expression is not understood
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_CODE_READER_H_
