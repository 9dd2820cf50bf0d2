// Simulates a run under its own policy, to show how reliable its what-ifs are.

#ifndef SHAPEWISE_DYNAMO_BACK_TEST_H_
#define SHAPEWISE_DYNAMO_BACK_TEST_H_

#include <memory>
#include <vector>

#include "dynamo/run_function.h"
#include "result/prediction.h"

namespace shapewise {

/// Simulates each function's history under its own policy and compares the result with the log. A
/// function with an unknown body is simulated as if it compared no sizes, and its row says so: an
/// equal row supports this assumption, a different one contradicts it.
BackTestReport BackTestFunctions(const std::vector<std::unique_ptr<RunFunction>>& functions);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_BACK_TEST_H_
