// One run as read: inputs, events, and other records.

#ifndef SHAPEWISE_MODEL_SESSION_H_
#define SHAPEWISE_MODEL_SESSION_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/compilation.h"
#include "model/event.h"
#include "model/repeats.h"
#include "model/server_line.h"
#include "model/span.h"
#include "support/stats.h"
#include "support/string_pool.h"

namespace shapewise {

/// The number of bytes of a line that messages quote.
inline constexpr size_t kMaxShownLine = 200;

/// A file or stream that was read.
struct Input {
  std::string name;    ///< as given by the user or found in a folder; "-" for standard input
  std::string format;  ///< name of the format that read it: "torch-log"; empty: not recognized
  uint64_t bytes = 0;  ///< of text, after decompression
  uint64_t lines = 0;
  uint64_t torch_lines = 0;         ///< lines recognized as output of torch
  std::string first_line;           ///< at most 200 bytes, quoted if nothing was recognized
  bool is_binary = false;           ///< a NUL in its first bytes shows that it is not text
  uint64_t unknown_lines = 0;       ///< lines of torch.compile that were not understood
  uint64_t first_unknown_line = 0;  ///< line number of the first of them; 0: none
  std::string first_unknown;        ///< its text, at most kMaxShownLine bytes
};

/// Evidence in a log for a range of PyTorch versions.
struct VersionMark {
  /// The evidence in words, such as "reasons name the source without L[..]".
  std::string_view what;
  int32_t from = 0;   ///< first release with it, as 100 * major + minor; 0: any
  int32_t until = 0;  ///< last release with it, in the same form; 0: any
  uint32_t input = 0;
  uint64_t line = 0;  ///< line where it was first seen
};

/// Owns everything that was read. Readers add to it, engines only read it. Not thread-safe.
///
/// Memory grows with distinct texts, reasons and details, and by 48 bytes per event, but never with
/// lines. Most events that may repeat without bound are only counted (repeats.h).
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Makes the empty session equal to `other`, including ids and indices.
  void CopyFrom(const Session& other);

  StringPool& strings() { return strings_; }
  const StringPool& strings() const { return strings_; }
  std::string_view text(StrId id) const { return strings_.text(id); }

  Stats& stats() { return stats_; }
  const Stats& stats() const { return stats_; }

  /// Adds an input and returns its index.
  uint32_t AddInput(std::string name);
  Input& input(uint32_t index) { return inputs_[index]; }

  /// Counts `count` lines of torch.compile that were not understood; the first is `text` at `line`.
  void CountUnknownLines(uint32_t input, uint64_t line, std::string_view text, uint64_t count = 1);
  const std::vector<Input>& inputs() const { return inputs_; }

  /// The id of a reason equal to `reason`; a new one is stored.
  ReasonId InternReason(const Reason& reason);
  const Reason& reason(ReasonId id) const { return reasons_[static_cast<size_t>(id)]; }

  /// Interns the views of a parsed guard, then the reason.
  ReasonId InternReason(const GuardFailure& failure);

  /// The id of a detail equal to `detail`; a new one is stored.
  DetailId InternDetail(const EventDetail& detail);
  const EventDetail& detail(DetailId id) const { return details_[static_cast<size_t>(id)]; }
  const EventDetail& detail(const Event& event) const { return detail(event.detail); }

  /// Adds an event unchanged and returns its number, which is its index in events() until
  /// SortByPlace.
  size_t AddEvent(const Event& event);

  /// Adds an event with `detail` and `texts`, and returns its number for AmendDetail. A frequently
  /// repeated event may only be counted; the last one of each site is added to events() by
  /// SortByPlace.
  size_t AddEvent(Event event, EventDetail detail, const ChangingTexts& texts);

  /// Lets `amend` change the detail of event `number`. Only before SortByPlace.
  template <typename Amend>
  void AmendDetail(size_t number, const Amend& amend) {
    if ((number & kHeldBack) != 0) {
      std::optional<Repeats::Held>& held = repeats_[number & ~kHeldBack].last();
      if (held) amend(held->detail);
      return;
    }
    EventDetail changed = detail(events_[number]);
    amend(changed);
    events_[number].detail = InternDetail(changed);
  }

  Event& event(size_t index) { return events_[index]; }
  const std::deque<Event>& events() const { return events_; }

  /// The number of events added, including those that are only counted.
  uint64_t num_events_added() const { return num_events_added_; }

  /// Removes the events for which `is_dropped` returns true; it is called once each, in order.
  /// Numbers that AddEvent returned for later events become invalid.
  template <typename IsDropped>
  void DropEvents(const IsDropped& is_dropped) {
    std::erase_if(events_, is_dropped);
  }
  /// The same for printed guards.
  template <typename IsDropped>
  void DropPrintedGuards(const IsDropped& is_dropped) {
    std::erase_if(printed_guards_, is_dropped);
  }

  /// Adds a compilation from a structured trace, or a time span.
  void AddCompilation(Compilation compilation) { compilations_.push_back(std::move(compilation)); }
  const std::deque<Compilation>& compilations() const { return compilations_; }
  void AddPrintedGuards(PrintedGuards guards) { printed_guards_.push_back(std::move(guards)); }
  const std::deque<PrintedGuards>& printed_guards() const { return printed_guards_; }
  void AddSpan(const Span& span) { spans_.push_back(span); }
  const std::deque<Span>& spans() const { return spans_; }
  void AddRegionRuns(const RegionRuns& runs) { region_runs_.push_back(runs); }
  const std::deque<RegionRuns>& region_runs() const { return region_runs_; }
  void AddServerLine(const ServerLine& line) { server_lines_.push_back(line); }
  const std::deque<ServerLine>& server_lines() const { return server_lines_; }

  /// Adds pending repeated events, then sorts events, compilations and spans by input and line; the
  /// sort is stable. Readers call it once, after the last input; nothing is added after that.
  void SortByPlace();

  /// Records evidence for a version; only its first place is kept.
  void NoteVersionMark(const VersionMark& mark);
  const std::vector<VersionMark>& version_marks() const { return version_marks_; }

 private:
  // Bit in the number of a pending event: the remaining bits are an index into repeats_.
  static constexpr size_t kHeldBack = ~(~size_t{0} >> 1);

  using SiteKey = std::tuple<uint32_t, int32_t, DetailId>;  // input, rank, SiteOf()

  size_t Keep(const Event& event, EventDetail detail, const ChangingTexts& texts);
  uint64_t EndGap(Repeats& repeats, const EventDetail& detail);
  void KeepLast(Repeats& repeats);
  void AddHeldBack();

  StringPool strings_;
  Stats stats_;
  std::vector<Input> inputs_;
  std::deque<Reason> reasons_;
  std::unordered_multimap<uint64_t, ReasonId> reason_ids_;  // by hash of the content
  std::deque<EventDetail> details_;
  std::unordered_multimap<uint64_t, DetailId> detail_ids_;  // by hash of the content
  std::deque<Event> events_;
  uint64_t num_events_added_ = 0;
  std::map<SiteKey, size_t> site_ids_;
  std::deque<Repeats> repeats_;  // by the ids of site_ids_
  std::deque<Compilation> compilations_;
  std::deque<PrintedGuards> printed_guards_;
  std::deque<Span> spans_;
  std::deque<RegionRuns> region_runs_;
  std::deque<ServerLine> server_lines_;
  std::vector<VersionMark> version_marks_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_SESSION_H_
