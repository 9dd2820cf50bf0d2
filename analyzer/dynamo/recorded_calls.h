// Matches recorded calls to the functions of a run.

#ifndef SHAPEWISE_DYNAMO_RECORDED_CALLS_H_
#define SHAPEWISE_DYNAMO_RECORDED_CALLS_H_

#include <memory>
#include <vector>

#include "dynamo/logged_values.h"
#include "dynamo/run_function.h"

namespace shapewise {

/// Assigns the recorded calls to the functions that they name, completed with what only the log
/// contains (CompleteCalls); `log_values`: the log's data about each function. A recorded function
/// that is not in the log is appended.
///
/// The two match if the last part of the name ("forward" of "Mixer.forward") agrees, and the rank,
/// the file's name and the line if both have them. If several of the log's functions match an equal
/// number of recorded ones, they are paired in the order of their first call; if the numbers
/// differ, nothing is paired, and the function says so.
void AttachRecordedCalls(const std::vector<std::unique_ptr<RecordedFunction>>& recorded,
                         const std::vector<std::unique_ptr<LoggedValues>>& log_values,
                         std::vector<std::unique_ptr<RunFunction>>& functions);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_RECORDED_CALLS_H_
