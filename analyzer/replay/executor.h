// Runs a program statement by statement.

#ifndef SHAPEWISE_REPLAY_EXECUTOR_H_
#define SHAPEWISE_REPLAY_EXECUTOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/operator_lookup.h"
#include "replay/operators_by_hand.h"
#include "replay/program.h"
#include "replay/value.h"

namespace shapewise::replay {

struct PythonAdapter;

/// How a statement can be run, judging by its target.
enum class Means : uint8_t {
  kOperator,  ///< "operator": by the schema of an operator
  kByHand,    ///< "by hand"
  kAdapter,   ///< "adapter": by a wrapper of a Python function
  kValue,     ///< "value": an attribute, whose value is part of the inputs
  kNone,      ///< "none": cannot be replayed
};
std::string_view MeansName(Means means);

/// Uses only the target. `reason`, if given, is set for kNone.
Means MeansOf(const ProgramNode& node, std::string* reason = nullptr);

/// The callee is found in the first run, because overloads depend on arguments.
class Statement {
 public:
  explicit Statement(const ProgramNode& node) : node_(&node) {}

  /// Throws NotReached, c10::Error, or std::runtime_error with a readable reason.
  Value Run(const Frame& frame);

 private:
  void Resolve(const Frame& frame);
  void ResolveOnTensors(const TensorOperator& tensor_operator, const Frame& frame);
  CallArguments EvaluateAll(const Frame& frame) const;

  const ProgramNode* node_;
  bool is_resolved_ = false;
  std::optional<PreparedCall> call_;
  HandFunction by_hand_ = nullptr;
  const PythonAdapter* adapter_ = nullptr;
  std::vector<ProgramArgument> bound_;  ///< in the order of the adapter's signature
};

/// The inputs of a run.
struct RunInputs {
  std::vector<Value> values;                           ///< one per input of the program
  std::vector<std::pair<uint32_t, Value>> attributes;  ///< values of get_attr statements, by slot
  Bindings bindings;
};

/// A statement that could not be run.
struct Failure {
  size_t node = 0;  ///< into Program::nodes
  std::string reason;
  bool is_consequence = false;  ///< it depends on another failed statement
};

struct RunResult {
  Value outputs;  ///< missing if one of them was not computed
  std::string why_no_outputs;
  std::vector<Failure> failures;
};

/// Runs a program without recording gradients. Operators are looked up in the first run.
class Executor {
 public:
  /// `program` must outlive this.
  explicit Executor(const Program& program)
      : program_(program), statements_(program.nodes.begin(), program.nodes.end()) {}

  /// Runs every statement that can be run.
  RunResult Run(const RunInputs& inputs);

  /// For timing: throws the exception of the first statement that fails.
  Value RunOrThrow(const RunInputs& inputs);

 private:
  void Begin(const RunInputs& inputs);
  void RunNode(size_t index);
  void End();

  const Program& program_;
  Frame frame_;
  std::vector<Statement> statements_;  ///< one per node
};

/// The first line of `what`, safe for a terminal: torch appends a list of functions to its
/// messages. Control characters, which a graph may contain, become question marks.
std::string FirstLine(std::string_view what);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_EXECUTOR_H_
