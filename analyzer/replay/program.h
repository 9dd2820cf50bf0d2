// A graph that can be run, as the program JSON tells it (analyzer/docs/replay.md).

#ifndef SHAPEWISE_REPLAY_PROGRAM_H_
#define SHAPEWISE_REPLAY_PROGRAM_H_

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/size_expression.h"
#include "replay/value.h"

namespace shapewise::replay {

/// An argument of a statement, or what a graph returns.
struct ProgramArgument {
  enum class Kind : uint8_t {
    kSlot,        ///< `slot`: the value of another statement, or an input
    kConstant,    ///< `constant`
    kList,        ///< `children`
    kTuple,       ///< `children`
    kDict,        ///< `children`: key, value, key, value ...
    kSlice,       ///< `children`: start, stop, step
    kExpression,  ///< `expression`
    kText,        ///< `text`, which was not taken apart: cannot be evaluated
  };
  Kind kind = Kind::kConstant;
  uint32_t slot = 0;
  Value constant;
  SizeExpression expression;
  std::string text;
  std::vector<ProgramArgument> children;

  static ProgramArgument Slot(uint32_t slot) {
    ProgramArgument argument;
    argument.kind = Kind::kSlot;
    argument.slot = slot;
    return argument;
  }

  /// Whether no slot and no symbol stands in it.
  bool IsConstant() const;
};

/// What is told of a value.
struct ProgramType {
  enum class Kind : uint8_t { kUnknown, kTensor, kInt, kFloat, kBool, kNone, kObject };
  Kind kind = Kind::kUnknown;
  std::optional<c10::ScalarType> dtype;
  std::optional<c10::Device> device;  ///< where it is to go here
  std::optional<std::vector<SizeExpression>> shape;
  std::optional<std::vector<SizeExpression>> stride;
  bool requires_grad = false;
  SizeExpression value;  ///< of a number
};

/// One statement.
struct ProgramNode {
  std::string op;      ///< "call_function", "call_method", "call_module", "get_attr", "operator"
  std::string target;  ///< "aten.add.Tensor", "torch.nn.functional.embedding", "view"
  std::vector<ProgramArgument> args;
  std::vector<std::pair<std::string, ProgramArgument>> kwargs;
  std::vector<uint32_t> outputs;   ///< slots
  std::vector<ProgramType> types;  ///< one an output
  std::vector<uint32_t> freed;     ///< slots that nothing reads behind this statement
  int64_t line = 0;                ///< of the dump; 0: not told
};

struct ProgramInput {
  std::string name;
  std::string kind;    ///< "input", "parameter", "buffer", "constant", "symbol", "tangent", "saved"
  std::string source;  ///< to the user: "self.w"; empty: not told
  ProgramType type;
  uint32_t slot = 0;
};

struct ProgramSymbol {
  std::string name;
  std::optional<int64_t> hint;
  std::optional<int64_t> lower;
  std::optional<int64_t> upper;
};

/// What padding along a symbol would do, as the core found.
struct ProgramPadding {
  struct Fill {
    std::string input;
    double value = 0;
  };
  std::string symbol;
  std::string verdict;      ///< "safe", "masked", "unsafe", "unknown"
  std::vector<Fill> fills;  ///< what inputs must hold at padded positions
};

struct Program {
  std::string name;
  std::string format;  ///< how the graph was printed
  std::string torch;   ///< the release that printed it; empty: not told
  /// Where operators make tensors that are told no device and take no tensor; absent: on the CPU.
  std::optional<c10::Device> default_device;
  std::vector<ProgramSymbol> symbols;
  std::vector<ProgramInput> inputs;
  std::vector<ProgramNode> nodes;
  ProgramArgument outputs;
  std::vector<ProgramPadding> padding;
  std::vector<std::string> slot_names;  ///< one a slot
};

/// What is called at `node`: for messages.
inline std::string NameOf(const Program& program, const ProgramNode& node) {
  return node.outputs.empty() ? node.target : program.slot_names[node.outputs[0]];
}

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_PROGRAM_H_
