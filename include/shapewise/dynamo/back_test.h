// Replays a run under its own policy, to show how far its what-ifs can be trusted.

#ifndef SHAPEWISE_DYNAMO_BACK_TEST_H_
#define SHAPEWISE_DYNAMO_BACK_TEST_H_

#include <memory>
#include <vector>

#include "shapewise/dynamo/run_function.h"
#include "shapewise/result/back_test.h"

namespace shapewise {

/// Simulates each function's history under its own policy and lays the outcome beside what was
/// logged. Where the body is not known, it is replayed as if it compared no sizes, and the row says
/// so: an equal row is then evidence for that, and a row that differs is evidence against it.
BackTestReport BackTestFunctions(const std::vector<std::unique_ptr<RunFunction>>& functions);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_BACK_TEST_H_
