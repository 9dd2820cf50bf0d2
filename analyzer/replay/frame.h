// The state of one run: values so far, and values of symbols.

#ifndef SHAPEWISE_REPLAY_FRAME_H_
#define SHAPEWISE_REPLAY_FRAME_H_

#include <stdexcept>
#include <vector>

#include "replay/program.h"
#include "replay/size_expression.h"
#include "replay/value.h"

namespace shapewise::replay {

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

#endif  // SHAPEWISE_REPLAY_FRAME_H_
