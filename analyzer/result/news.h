// News of a running program.

#ifndef SHAPEWISE_RESULT_NEWS_H_
#define SHAPEWISE_RESULT_NEWS_H_

#include <cstdint>
#include <string>

#include "result/finding.h"

namespace shapewise {

/// A piece of news of a running program.
struct RunNews {
  enum class Kind : uint8_t {
    kNew,    ///< a new cause
    kWorse,  ///< a known cause that became an error, or whose function now runs eagerly
    kAlarm,  ///< an alarm went off
  };
  Kind kind = Kind::kNew;
  Finding finding;         ///< kNew, kWorse; `events` are indices at that time
  std::string alarm;       ///< kAlarm: as requested
  uint64_t count = 0;      ///< kAlarm: number of events in the window
  std::string function;    ///< kAlarm: function of the last event; may be empty
  std::string input_name;  ///< origin of the news; empty: the logs as a whole
  uint64_t line = 0;       ///< 1-based
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_NEWS_H_
