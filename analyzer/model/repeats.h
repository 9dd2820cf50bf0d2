// Decides which repeated events are stored and which are only counted.
//
// A warning or a counter may be printed at every step of a run that lasts weeks. The first repeats,
// progressively fewer later ones, and the last are stored; each says how many were skipped before
// it.

#ifndef SHAPEWISE_MODEL_REPEATS_H_
#define SHAPEWISE_MODEL_REPEATS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/event.h"

namespace shapewise {

/// The number of events per site and process that are all stored.
inline constexpr uint64_t kRepeatsKeptWhole = 1024;

/// Beyond that, the number stored each time the count doubles, evenly spaced. The position of an
/// event in the run stays known to 1 %, and memory grows with the logarithm.
inline constexpr uint64_t kRepeatsKeptPerDoubling = 128;

/// If a counter restarts, because another process prints to the same stream, the last event before
/// and the first event after are stored, up to this many times: the events that are only counted
/// then belong to one of the two.
inline constexpr uint64_t kRestartsKept = 1024;

/// Texts of an event that may differ each time, such as a message with a count. Passed as views,
/// and stored only with stored events.
struct ChangingTexts {
  std::string_view message;  ///< the message of the fact
  std::string_view hash;     ///< the hash of its graph
};

/// Whether events with `detail` may repeat without bound. The others come with a compilation:
/// Dynamo's limits bound their number, and alarms, costs and the comparison of ranks need each one.
bool MayRepeat(const EventDetail& detail);

/// Whether the message of `detail` identifies its site.
bool IsKnownByMessage(const EventDetail& detail);

/// What repeats of one site share: `detail` without the parts that may change.
EventDetail SiteOf(const EventDetail& detail);

/// The events of one site in one process, in order.
class Repeats {
 public:
  /// An event that is not stored yet, with its texts.
  struct Held {
    Event event;
    EventDetail detail;
    std::string message;
    std::string hash;
  };

  /// Whether the next event shows that its counter restarted; call once per event. If so, the
  /// previous event ends the open gap, and the next one is stored.
  bool StartsOver(const EventDetail& detail);

  /// Counts the next event. True: store it; it ends the open gap.
  bool Next();

  /// Holds the event counted by Next(), because it may turn out to be the last.
  void Hold(Held held);
  std::optional<Held>& last() { return last_; }

  /// Ends the gap before a stored event with `detail`. Returns the number of dropped events.
  /// `largest` is an event of the gap that must also be stored: the one with the largest count or
  /// time, if larger than in `detail`.
  uint64_t EndGap(const EventDetail& detail, std::optional<Held>& largest);

 private:
  uint64_t num_seen_ = 0;
  uint64_t num_dropped_ = 0;  // in the open gap
  uint64_t num_restarts_ = 0;
  int64_t reached_ = 0;  // value of the counter
  std::optional<Held> last_;
  std::optional<Held> largest_;  // of the gap, excluding last_
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_REPEATS_H_
