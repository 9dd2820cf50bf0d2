// What there is to tell of a run that goes on.

#ifndef SHAPEWISE_RESULT_NEWS_H_
#define SHAPEWISE_RESULT_NEWS_H_

#include <cstdint>
#include <string>

#include "shapewise/result/finding.h"

namespace shapewise {

/// One thing to tell of a run that goes on.
struct RunNews {
  enum class Kind : uint8_t {
    kNew,    ///< a cause that was not there before
    kWorse,  ///< one that was, and now is an error, or made its function run eager
    kAlarm,  ///< an alarm went off
  };
  Kind kind = Kind::kNew;
  Finding finding;         ///< kNew, kWorse; `events` count among what had been read then
  std::string alarm;       ///< kAlarm: as it was asked for
  uint64_t count = 0;      ///< kAlarm: so many are in the window
  std::string function;    ///< kAlarm: that of the last of them; may be empty
  std::string input_name;  ///< where the news comes from; empty: the logs as a whole
  uint64_t line = 0;       ///< 1-based
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_NEWS_H_
