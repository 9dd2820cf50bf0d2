// A statement of a program, and how to run it.

#ifndef SHAPEWISE_REPLAY_STATEMENT_H_
#define SHAPEWISE_REPLAY_STATEMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
  void PrepareCall(const std::vector<const Overload*>& overloads, const std::string& name,
                   const ArgumentList& arguments, const Frame& frame);
  CallArguments EvaluateAll(const Frame& frame) const;

  const ProgramNode* node_;
  bool is_resolved_ = false;
  std::optional<PreparedCall> call_;
  HandFunction by_hand_ = nullptr;
  const PythonAdapter* adapter_ = nullptr;
};

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_STATEMENT_H_
