// An executable graph, as described by the program JSON (analyzer/docs/replay.md).

#ifndef SHAPEWISE_REPLAY_PROGRAM_H_
#define SHAPEWISE_REPLAY_PROGRAM_H_

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "replay/constants.h"
#include "replay/size_expression.h"
#include "replay/value.h"

namespace shapewise::replay {

/// An argument of a statement, or an output of a graph.
struct ProgramArgument {
  enum class Kind : uint8_t {
    kSlot,        ///< `slot`: the result of another statement, or an input
    kConstant,    ///< `constant`
    kList,        ///< `children`
    kTuple,       ///< `children`
    kDict,        ///< `children`: key, value, key, value ...
    kSlice,       ///< `children`: start, stop, step
    kExpression,  ///< `expression`
    kText,        ///< `text`, which was not parsed: cannot be evaluated
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
  static ProgramArgument Constant(Value constant) {
    ProgramArgument argument;
    argument.constant = std::move(constant);
    return argument;
  }

  /// Whether it contains no slots and no symbols.
  bool IsConstant() const;
};

/// The known type of a value.
struct ProgramType {
  enum class Kind : uint8_t { kUnknown, kTensor, kInt, kFloat, kBool, kNone, kObject };
  Kind kind = Kind::kUnknown;
  std::optional<c10::ScalarType> dtype;
  std::optional<c10::Device> device;  ///< where to place it
  std::optional<std::vector<SizeExpression>> shape;
  std::optional<std::vector<SizeExpression>> stride;
  SizeExpression value;  ///< value of a number
};

/// One statement.
struct ProgramNode {
  std::string op;      ///< "call_function", "call_method", "call_module", "get_attr", "operator"
  std::string target;  ///< "aten.add.Tensor", "torch.nn.functional.embedding", "view"
  std::vector<ProgramArgument> args;
  std::vector<std::pair<std::string, ProgramArgument>> kwargs;
  std::vector<uint32_t> outputs;   ///< slots
  std::vector<ProgramType> types;  ///< one per output
  std::vector<uint32_t> freed;     ///< slots that are not read after this statement
  int64_t line = 0;                ///< in the dump; 0: unknown
};

struct ProgramInput {
  std::string name;
  std::string kind;    ///< "input", "parameter", "buffer", "constant", "symbol", "tangent", "saved"
  std::string source;  ///< the user's name: "self.w"; empty: unknown
  ProgramType type;
  uint32_t slot = 0;
};

struct ProgramSymbol {
  std::string name;
  std::optional<int64_t> hint;
  std::optional<int64_t> lower;
  std::optional<int64_t> upper;
};

/// The effect of padding along a symbol, from the analyzer.
struct ProgramPadding {
  struct Fill {
    std::string input;
    double value = 0;
  };
  std::string symbol;
  std::string verdict;      ///< "safe", "masked", "unsafe", "unknown"
  std::vector<Fill> fills;  ///< required values of inputs at padded positions
};

struct Program {
  std::string name;
  std::string format;  ///< form in which the graph was printed
  /// The device of operators with neither a device nor a tensor argument; absent: the CPU.
  std::optional<c10::Device> default_device;
  std::vector<ProgramSymbol> symbols;
  std::vector<ProgramInput> inputs;
  std::vector<ProgramNode> nodes;
  ProgramArgument outputs;
  std::vector<ProgramPadding> padding;
  std::vector<std::string> slot_names;  ///< one per slot
};

/// The callee of `node`, for messages.
inline std::string NameOf(const Program& program, const ProgramNode& node) {
  return node.outputs.empty() ? node.target : program.slot_names[node.outputs[0]];
}

/// Reads one graph of the file at `path` ("-": standard input): the one whose name or number there
/// is `graph`; if that is empty, the only one, or the first one that is not part of another. Throws
/// std::runtime_error if the file is unreadable, is not a program, or does not contain such a
/// graph.
Program ReadProgram(const std::string& path, const std::string& graph, const DeviceChoice& devices);

/// The values of one run, by slot.
struct Frame {
  const Program* program = nullptr;
  std::vector<Value> slots;
  Bindings bindings;
};

/// A statement needs a value that was not computed.
class NotReached : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The value of `argument`. Throws NotReached, or std::runtime_error if it cannot be evaluated.
Value EvaluateArgument(const ProgramArgument& argument, const Frame& frame);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_PROGRAM_H_
