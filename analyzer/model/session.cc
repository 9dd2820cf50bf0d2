#include "model/session.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>
#include <utility>

#include "llvm/ADT/Hashing.h"
#include "model/fields.h"

namespace shapewise {
namespace {

/// Hashes the fields passed to it.
class FieldHash {
 public:
  void operator()(std::string_view, const auto& field) { Add(field); }
  llvm::hash_code hash() const { return hash_; }

 private:
  template <typename Value>
  void Add(const Value& value) {
    if constexpr (HasFields<const Value>) {
      VisitFields(*this, value);
    } else {
      hash_ = llvm::hash_combine(hash_, value);
    }
  }
  // Adding zero turns -0.0 into 0.0, which compares equal.
  void Add(double number) { Add(std::bit_cast<uint64_t>(number + 0.0)); }
  template <typename Number>
  void Add(const std::optional<Number>& number) {
    Add(number.has_value());
    Add(number.value_or(0));
  }
  template <typename Item>
  void Add(const std::vector<Item>& items) {
    hash_ = llvm::hash_combine(hash_, llvm::hash_combine_range(items.begin(), items.end()));
  }
  void Add(const EventFact& fact) {
    Add(fact.index());
    std::visit([this](const auto& own) { VisitFields(*this, own); }, fact);
  }

  llvm::hash_code hash_{0};
};

uint64_t HashOf(const auto& object) {
  FieldHash fields;
  VisitFields(fields, object);
  return fields.hash();
}

// The id of a value equal to `value` in `values`; a new one is added.
template <typename Id, typename Value>
Id Intern(const Value& value, std::deque<Value>& values,
          std::unordered_multimap<uint64_t, Id>& ids) {
  const uint64_t hash = HashOf(value);
  const auto [begin, end] = ids.equal_range(hash);
  const auto found = std::find_if(begin, end, [&values, &value](const auto& known) {
    return values[static_cast<size_t>(known.second)] == value;
  });
  if (found != end) return found->second;
  const Id id = static_cast<Id>(values.size());
  values.push_back(value);
  ids.emplace(hash, id);
  return id;
}

// Sorts by input and line; items of one line keep their order.
template <typename Item>
void SortStably(std::deque<Item>& items) {
  const auto place = [](const Item& item) { return std::pair(item.input, item.line); };
  if (!std::ranges::is_sorted(items, {}, place)) std::ranges::stable_sort(items, {}, place);
}

}  // namespace

void Session::CopyFrom(const Session& other) {
  strings_.CopyFrom(other.strings_);
  stats_ = other.stats_;
  inputs_ = other.inputs_;
  reasons_ = other.reasons_;
  reason_ids_ = other.reason_ids_;
  details_ = other.details_;
  detail_ids_ = other.detail_ids_;
  events_ = other.events_;
  num_events_added_ = other.num_events_added_;
  site_ids_ = other.site_ids_;
  repeats_ = other.repeats_;
  compilations_ = other.compilations_;
  printed_guards_ = other.printed_guards_;
  spans_ = other.spans_;
  region_runs_ = other.region_runs_;
  server_lines_ = other.server_lines_;
  version_marks_ = other.version_marks_;
  // Their words may belong to the other session.
  for (VersionMark& mark : version_marks_) mark.what = text(strings_.Intern(mark.what));
}

uint32_t Session::AddInput(std::string name) {
  const auto index = static_cast<uint32_t>(inputs_.size());
  inputs_.emplace_back().name = std::move(name);
  return index;
}

void Session::CountUnknownLines(uint32_t input, uint64_t line, std::string_view text,
                                uint64_t count) {
  Input& counted = inputs_[input];
  counted.unknown_lines += count;
  // A record is counted when it ends, so a later line may be counted before its first line.
  if (counted.first_unknown_line != 0 && counted.first_unknown_line <= line) return;
  counted.first_unknown_line = line;
  counted.first_unknown = text.substr(0, kMaxShownLine);
}

ReasonId Session::InternReason(const Reason& reason) {
  return Intern(reason, reasons_, reason_ids_);
}

ReasonId Session::InternReason(const GuardFailure& failure) {
  return InternReason(InternFailure(failure, strings_));
}

DetailId Session::InternDetail(const EventDetail& detail) {
  return Intern(detail, details_, detail_ids_);
}

size_t Session::AddEvent(const Event& event) {
  ++num_events_added_;
  events_.push_back(event);
  return events_.size() - 1;
}

size_t Session::AddEvent(Event event, EventDetail detail, const ChangingTexts& texts) {
  if (!MayRepeat(detail)) return Keep(event, std::move(detail), texts);
  if (!texts.message.empty() && IsKnownByMessage(detail)) {
    detail.set_message(strings_.Intern(texts.message));
  }
  const SiteKey key(event.input, event.rank, InternDetail(SiteOf(detail)));
  const size_t site = site_ids_.try_emplace(key, repeats_.size()).first->second;
  if (site == repeats_.size()) repeats_.emplace_back();
  Repeats& repeats = repeats_[site];
  const bool starts_over = repeats.StartsOver(detail);
  if (starts_over) KeepLast(repeats);
  if (repeats.Next() || starts_over) {
    event.folded = EndGap(repeats, detail);
    return Keep(event, std::move(detail), texts);
  }
  ++num_events_added_;
  repeats.Hold({event, std::move(detail), std::string(texts.message), std::string(texts.hash)});
  return kHeldBack | site;
}

size_t Session::Keep(const Event& event, EventDetail detail, const ChangingTexts& texts) {
  if (!texts.message.empty()) detail.set_message(strings_.Intern(texts.message));
  XlaGraph* const graph = detail.mutable_xla_graph();
  if (graph != nullptr && !texts.hash.empty()) graph->hash = strings_.Intern(texts.hash);
  Event kept = event;
  kept.detail = InternDetail(detail);
  return AddEvent(kept);
}

uint64_t Session::EndGap(Repeats& repeats, const EventDetail& detail) {
  std::optional<Repeats::Held> largest;
  const uint64_t num_dropped = repeats.EndGap(detail, largest);
  // It was already counted when it was added.
  if (largest) {
    Keep(largest->event, largest->detail, {largest->message, largest->hash});
    --num_events_added_;
  }
  return num_dropped;
}

void Session::KeepLast(Repeats& repeats) {
  const std::optional<Repeats::Held> last = std::exchange(repeats.last(), std::nullopt);
  if (!last) return;
  Event event = last->event;
  event.folded = EndGap(repeats, last->detail);
  Keep(event, last->detail, {last->message, last->hash});
  --num_events_added_;
}

void Session::AddHeldBack() {
  for (Repeats& repeats : repeats_) KeepLast(repeats);
  repeats_.clear();
  site_ids_.clear();
}

void Session::SortByPlace() {
  AddHeldBack();
  SortStably(events_);
  SortStably(compilations_);
  SortStably(printed_guards_);
  SortStably(spans_);
  SortStably(region_runs_);
  SortStably(server_lines_);
}

void Session::NoteVersionMark(const VersionMark& mark) {
  const bool known =
      std::any_of(version_marks_.begin(), version_marks_.end(),
                  [&mark](const VersionMark& other) { return other.what == mark.what; });
  if (!known) version_marks_.push_back(mark);
}

}  // namespace shapewise
