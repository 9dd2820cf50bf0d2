// Alarms: too many of something in too short a time.

#ifndef SHAPEWISE_PIPELINE_ALARM_H_
#define SHAPEWISE_PIPELINE_ALARM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/session.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// "3 recompiles in 100 steps", taken apart.
struct Alarm {
  uint64_t count = 0;
  EventKind kind = EventKind::kRecompile;
  double window = 0;  ///< steps or seconds
  bool in_steps = false;
  std::string text;  ///< as given
};

/// Takes "K recompiles|limits|breaks in N steps" or "... in Ns", "Nm", "Nh" apart. Error: anything
/// else; the message shows the form.
Expected<Alarm> ParseAlarm(std::string_view text);

/// Where an alarm goes off.
struct AlarmMoment {
  size_t event = 0;    ///< index into Session::events(): the one that was too many
  uint64_t count = 0;  ///< so many lie in the window that ends with it
};

/// What an alarm found in a session.
struct AlarmResult {
  std::vector<AlarmMoment> moments;  ///< in the order of inputs and lines
  bool is_blind = false;  ///< there are such events, but nothing tells their step or time
  bool is_cut = false;    ///< there are such events behind the last step that is kept
};

/// Where `alarm` goes off in the sorted `session`: at each event that makes `count` of them lie
/// within the window, in one process; then not again before there were fewer. Steps are those the
/// log prints (of the same rank, where ranks print theirs), times those of the log lines.
AlarmResult FindAlarms(const Session& session, const Alarm& alarm);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_ALARM_H_
