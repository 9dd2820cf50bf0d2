// Runs a program statement by statement.

#ifndef SHAPEWISE_REPLAY_EXECUTOR_H_
#define SHAPEWISE_REPLAY_EXECUTOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/program.h"

namespace shapewise::replay {

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
  explicit Executor(const Program& program);
  ~Executor();

  /// Runs every statement that can be run.
  RunResult Run(const RunInputs& inputs);

  /// For timing: throws the exception of the first statement that fails.
  Value RunOrThrow(const RunInputs& inputs);

 private:
  void Begin(const RunInputs& inputs);
  void RunNode(size_t index);
  void End();

  struct Statements;  ///< hides the headers of torch's dispatcher

  const Program& program_;
  Frame frame_;
  std::unique_ptr<Statements> statements_;
};

/// The first line of `what`, safe for a terminal: torch appends a list of functions to its
/// messages. Control characters, which a graph may contain, become question marks.
std::string FirstLine(std::string_view what);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_EXECUTOR_H_
