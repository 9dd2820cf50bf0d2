// Places events of a run in time on one page, although inputs use different clocks.

#ifndef SHAPEWISE_REPORT_RUN_CLOCKS_H_
#define SHAPEWISE_REPORT_RUN_CLOCKS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "model/session.h"
#include "result/finding.h"

namespace shapewise {

/// Inputs with a common clock; for a relative clock, the input itself.
using ClockGroup = std::pair<Clock, uint32_t>;

/// A moment that can be placed on the page.
struct Moment {
  ClockGroup group;
  double seconds = 0;
};

/// The clocks of a run: a common clock for inputs where possible, and the start of each.
class RunClocks {
 public:
  /// Finds the first moment of each clock in `session`.
  RunClocks(const LintResult& result, const Session& session);

  std::optional<Moment> At(Clock clock, uint32_t input, double seconds) const;
  std::optional<Moment> At(const Event& event) const;
  std::optional<Moment> At(const Span& span) const {
    return At(span.clock, span.input, span.begin);
  }
  std::optional<Moment> At(const Compilation& compilation) const;

  /// The clock of SlowStep::begin in `track`.
  Clock ClockOf(const StepTrack& track) const;

  /// Microseconds since the first moment of its clock.
  double Micros(const Moment& moment) const;

  /// The first moment of each group.
  const std::map<ClockGroup, double>& first() const { return first_; }

  /// A suffix that distinguishes `group`: ", by local time"; empty if there is only one clock, or
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
