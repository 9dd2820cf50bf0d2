// Where on one page things of a run stand in time, though their inputs count time differently.

#ifndef SHAPEWISE_REPORT_RUN_CLOCKS_H_
#define SHAPEWISE_REPORT_RUN_CLOCKS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// Inputs that have a clock in common; of a relative clock the input itself.
using ClockGroup = std::pair<Clock, uint32_t>;

/// A moment that can be put on the page.
struct Moment {
  ClockGroup group;
  double seconds = 0;
};

/// The clocks of a run: what all inputs are brought to, and where each begins.
class RunClocks {
 public:
  /// Looks for the first moment of each clock in all that `session` holds.
  RunClocks(const LintResult& result, const Session& session);

  std::optional<Moment> At(Clock clock, uint32_t input, double seconds) const;
  std::optional<Moment> At(const Event& event) const;
  std::optional<Moment> At(const Span& span) const {
    return At(span.clock, span.input, span.begin);
  }
  std::optional<Moment> At(const Compilation& compilation) const;

  /// The clock that SlowStep::begin of `track` counts by.
  Clock ClockOf(const StepTrack& track) const;

  /// Microseconds since the first moment of its clocks.
  double Micros(const Moment& moment) const;

  /// By group, the first moment.
  const std::map<ClockGroup, double>& first() const { return first_; }

  /// What tells `group` from the others: ", by local time"; empty if there is one clock only, or
  /// it is Unix time.
  std::string NameOf(const ClockGroup& group) const;

 private:
  void Note(const std::optional<Moment>& moment);

  const Session& session_;
  const std::optional<double> epoch_minus_local_;
  std::map<ClockGroup, double> first_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_RUN_CLOCKS_H_
