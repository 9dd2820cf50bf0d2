// What a program that ran things answered.

#ifndef SHAPEWISE_PIPELINE_REPLAY_ANSWER_H_
#define SHAPEWISE_PIPELINE_REPLAY_ANSWER_H_

#include <string_view>

#include "shapewise/result/replay_report.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Reads shapewise.replay/1 and puts what was measured of each policy into the policy of that name
/// in `report`. What is not told, or told in another form, is absent. Error: `text` is no such
/// answer.
Error ReadReplayAnswer(std::string_view text, ReplayReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPLAY_ANSWER_H_
