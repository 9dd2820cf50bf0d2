// What a program that times sizes answered.

#ifndef SHAPEWISE_PIPELINE_CURVE_ANSWER_H_
#define SHAPEWISE_PIPELINE_CURVE_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "shapewise/result/replay_report.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// One answer, taken apart.
struct CurveAnswer {
  std::optional<CurveReport::Point> point;
  std::optional<double> drift;  ///< by what share the reference call took longer than at first
  std::string why;              ///< without a point: why the size could not be run
  std::string dynamic_why;  ///< why the dynamic graph could not; empty: it was, or is not told of
};

/// Reads the answer to a question for `size`, asked as `key`. What is not told, or told in another
/// form, is absent. Error: it is no answer, or one to another question.
Expected<CurveAnswer> ReadCurveAnswer(const std::string& line, const std::string& key,
                                      int64_t size);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_CURVE_ANSWER_H_
