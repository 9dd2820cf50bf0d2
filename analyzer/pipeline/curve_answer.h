// Parses answers of a program that times sizes.

#ifndef SHAPEWISE_PIPELINE_CURVE_ANSWER_H_
#define SHAPEWISE_PIPELINE_CURVE_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "result/replay_report.h"
#include "support/error.h"

namespace shapewise {

/// A parsed answer.
struct CurveAnswer {
  std::optional<CurveReport::Point> point;
  std::optional<double> drift;  ///< relative drift of the reference call
  std::string why;              ///< without a point: why the size could not be run
  std::string dynamic_why;  ///< why the dynamic graph could not be run; empty: it was, or unknown
};

/// Parses the answer to a request for `size`, sent as `key`. Missing or malformed parts are absent.
/// Error: not an answer, or an answer to another request.
Expected<CurveAnswer> ReadCurveAnswer(const std::string& line, const std::string& key,
                                      int64_t size);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_CURVE_ANSWER_H_
