// Which function of a run a recorder wrote the calls of.

#ifndef SHAPEWISE_DYNAMO_RECORDED_CALLS_H_
#define SHAPEWISE_DYNAMO_RECORDED_CALLS_H_

#include <memory>
#include <vector>

#include "dynamo/told_values.h"
#include "shapewise/dynamo/run_function.h"

namespace shapewise {

/// Gives the recorded calls to the functions that they name, completed with what only the log tells
/// (CompleteCalls); `told`: what it tells of each function. A recorded function that the log does
/// not tell of is added behind the others.
///
/// The two are the same if the last part of the name ("forward" of "Mixer.forward") agrees, and the
/// rank, the file's name and the line where both are told. Where several of the log's functions
/// fit as many recorded ones, they are paired in the order of their first call; where the numbers
/// differ, nothing is paired, and the function says so.
void AttachRecordedCalls(const std::vector<std::unique_ptr<RecordedFunction>>& recorded,
                         const std::vector<std::unique_ptr<ToldValues>>& told,
                         std::vector<std::unique_ptr<RunFunction>>& functions);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_RECORDED_CALLS_H_
