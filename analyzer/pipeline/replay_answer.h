// Parses the answer of a program that ran policies.

#ifndef SHAPEWISE_PIPELINE_REPLAY_ANSWER_H_
#define SHAPEWISE_PIPELINE_REPLAY_ANSWER_H_

#include <string_view>

#include "shapewise/result/replay_report.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Parses shapewise.replay/1 and adds measurements to the policies with the same names in `report`.
/// Missing or malformed parts are absent. Error: `text` is not such an answer.
Error ReadReplayAnswer(std::string_view text, ReplayReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPLAY_ANSWER_H_
