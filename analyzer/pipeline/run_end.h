// How the command of `shapewise run` ended, in the folder of the run.

#ifndef SHAPEWISE_PIPELINE_RUN_END_H_
#define SHAPEWISE_PIPELINE_RUN_END_H_

#include <optional>
#include <string>

namespace shapewise {

/// Notes in the folder of a run that its command ended with `status`, 128 + N where signal N ended
/// it. A full disk loses the note and nothing else.
void WriteRunEnd(const std::string& folder, int status);

/// What WriteRunEnd noted in `folder`; absent: nothing, or it is no folder of a run.
std::optional<int> ReadRunEnd(const std::string& folder);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_RUN_END_H_
