// Events that repeat without end: which are kept one by one, and which are only counted.
//
// A warning or a counter may be printed at every step of a run of weeks. Kept are the first of its
// repeats, ever fewer of the later ones, and the last; each says how many before it were not.

#ifndef SHAPEWISE_MODEL_REPEATS_H_
#define SHAPEWISE_MODEL_REPEATS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shapewise/model/event.h"

namespace shapewise {

/// So many events of one site and process are kept one by one.
inline constexpr uint64_t kRepeatsKeptWhole = 1024;

/// Beyond that, so many of them each time their number doubles, at even distances: where in a run
/// something happened stays known to one part in a hundred, and memory grows with the logarithm.
inline constexpr uint64_t kRepeatsKeptPerDoubling = 128;

/// So many times a counter that begins anew, as another process prints to the same stream, has its
/// last event before and its first one after kept: what was counted only belongs to one of the two.
inline constexpr uint64_t kRestartsKept = 1024;

/// Texts of an event that may be others each time, as a message with a count in it. They come as
/// views and are kept with the events that are.
struct ChangingTexts {
  std::string_view message;  ///< the message of the fact
  std::string_view hash;     ///< the hash of its graph
};

/// Whether events that say `detail` may repeat without end. The others come with a compilation:
/// Dynamo's limits bound how often a function is compiled, and each is needed for itself, with its
/// cost, by alarms and where ranks are compared.
bool MayRepeat(const EventDetail& detail);

/// Whether the message of `detail` tells one site from another.
bool IsKnownByMessage(const EventDetail& detail);

/// What the repeats of one site share: `detail` without what may change from one to the next.
EventDetail SiteOf(const EventDetail& detail);

/// The events of one site in one process, as they come.
class Repeats {
 public:
  /// An event that is not kept yet, with its texts.
  struct Held {
    Event event;
    EventDetail detail;
    std::string message;
    std::string hash;
  };

  /// Whether the event that comes next says that its counter began anew: to be asked once an event.
  /// Then the last one ends the gap that is open, and the next one is to be kept.
  bool BeginsAnew(const EventDetail& detail);

  /// Counts the next event. True: it is to be kept, and ends the gap that is open.
  bool Next();

  /// Holds the event that Next() counted, of which it is not known yet whether it is the last.
  void Hold(Held held);
  std::optional<Held>& last() { return last_; }

  /// Ends the gap before an event that is kept and says `detail`. Returns how many events of the
  /// gap are dropped; `largest` is what else has to be kept of it: the event with the largest count
  /// or time, where that is larger than the one in `detail`.
  uint64_t EndGap(const EventDetail& detail, std::optional<Held>& largest);

 private:
  uint64_t num_seen_ = 0;
  uint64_t num_dropped_ = 0;  // in the gap that is open
  uint64_t num_restarts_ = 0;
  int64_t reached_ = 0;  // by the counter
  std::optional<Held> last_;
  std::optional<Held> largest_;  // of the gap, but for last_
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_REPEATS_H_
