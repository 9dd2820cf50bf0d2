// Alarms: too many events in too short a time.

#ifndef SHAPEWISE_PIPELINE_ALARM_H_
#define SHAPEWISE_PIPELINE_ALARM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/session.h"
#include "support/error.h"

namespace shapewise {

/// A parsed alarm, such as "3 recompiles in 100 steps".
struct Alarm {
  uint64_t count = 0;
  EventKind kind = EventKind::kRecompile;
  double window = 0;  ///< steps or seconds
  bool in_steps = false;
  std::string text;  ///< as given
};

/// Parses "K recompiles|limits|breaks in N steps" or "... in Ns", "Nm", "Nh". Error: anything else;
/// the message shows the expected form.
Expected<Alarm> ParseAlarm(std::string_view text);

/// A moment at which an alarm goes off.
struct AlarmMoment {
  size_t event = 0;    ///< index into Session::events() of the event that exceeded the limit
  uint64_t count = 0;  ///< events in the window that ends with it
};

/// What an alarm found in a session.
struct AlarmResult {
  std::vector<AlarmMoment> moments;  ///< by input and line
  bool is_blind = false;             ///< such events exist, but their step or time is unknown
  bool is_cut = false;               ///< such events exist after the last stored step
};

/// Finds where `alarm` goes off in the sorted `session`: at each event with `count` events of one
/// process within the window, and then not again until there were fewer. Steps are those that the
/// log prints (of the same rank, if ranks print them); times are those of log lines.
AlarmResult FindAlarms(const Session& session, const Alarm& alarm);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_ALARM_H_
