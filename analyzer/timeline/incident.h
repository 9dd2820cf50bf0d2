// Incidents: timed events that may make a step slow.

#ifndef SHAPEWISE_TIMELINE_INCIDENT_H_
#define SHAPEWISE_TIMELINE_INCIDENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/session.h"
#include "result/step_report.h"

namespace shapewise {

/// A compilation, CUDA graph recording or pause.
struct Incident {
  SlowCause cause = SlowCause::kCompile;
  uint32_t input = 0;
  uint64_t line = 0;
  int32_t rank = kNoRank;
  Clock clock = Clock::kUnknown;
  double begin = 0;               ///< seconds by `clock`
  std::optional<double> seconds;  ///< absent: only the moment is known
  StrId compile_id{};
  StrId function{};
  StrId file{};
  uint32_t function_line = 0;
  std::optional<size_t> event;  ///< index into Session::events()
};

/// All incidents of `session`. A compilation in several inputs (by compile id) may occur several
/// times, with the clock of each input.
std::vector<Incident> FindIncidents(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_INCIDENT_H_
