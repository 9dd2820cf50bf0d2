#include "model/repeats.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "model/fields.h"

namespace shapewise {
namespace {

/// The number that an event prints, where larger means worse.
std::optional<double> SizeOf(const EventDetail& detail) {
  return std::visit(
      [](const auto& fact) -> std::optional<double> {
        if constexpr (requires { fact.count; }) {
          if (fact.count) return static_cast<double>(*fact.count);
        }
        if constexpr (requires { fact.seconds; }) return fact.seconds;
        return std::nullopt;
      },
      detail.fact);
}

bool IsLarger(const EventDetail& detail, const EventDetail& other) {
  const std::optional<double> size = SizeOf(detail);
  return size && *size > SizeOf(other).value_or(*size);
}

/// Whether the event with `number`, from 0, is stored.
bool IsKept(uint64_t number) {
  if (number < kRepeatsKeptWhole) return true;
  return number % std::bit_floor(number / kRepeatsKeptPerDoubling) == 0;
}

/// Clears what may change between repeats. Lines with and without a count have different meanings.
struct ForgetValues {
  bool keeps_message = false;

  void operator()(std::string_view name, StrId& text) const {
    if (name == "hash" || (name == "message" && !keeps_message)) text = StrId::kNone;
  }
  template <typename Number>
  void operator()(std::string_view, std::optional<Number>& number) const {
    if (number) number = Number{};
  }
  template <typename Field>
  void operator()(std::string_view, Field& field) const {
    if constexpr (HasFields<Field>) VisitFields(*this, field);
  }
};

}  // namespace

bool MayRepeat(const EventDetail& detail) {
  switch (detail.kind()) {
    case EventKind::kPerfHint:
    case EventKind::kXlaMetric:
    case EventKind::kXlaCompile:
    case EventKind::kXlaExecution:
    case EventKind::kTorchscript:
    case EventKind::kIgnoredMode:
      return true;
    case EventKind::kCudagraph:
      // Each recording may explain a slow step, and device memory bounds their number.
      return detail.As<CudagraphFact>()->action != CudagraphAction::kRecord;
    case EventKind::kRecompile:
    case EventKind::kRecompileLimit:
    case EventKind::kGraphBreak:
    case EventKind::kSkippedFrame:
    case EventKind::kCompile:
    case EventKind::kCompileError:
    case EventKind::kConstraintViolation:
    case EventKind::kImpliedBreak:
    case EventKind::kImpliedRecompile:
      return false;
  }
  return false;
}

bool IsKnownByMessage(const EventDetail& detail) {
  if (const auto* hint = detail.As<PerfHintFact>()) {
    return hint->hint == PerfHint::kOther || hint->hint == PerfHint::kNone;
  }
  return detail.kind() == EventKind::kTorchscript && detail.user_file == StrId::kNone &&
         detail.user_line == 0;
}

EventDetail SiteOf(const EventDetail& detail) {
  EventDetail site = detail;
  const ForgetValues forget{.keeps_message = IsKnownByMessage(detail)};
  std::visit([&forget](auto& fact) { VisitFields(forget, fact); }, site.fact);
  return site;
}

bool Repeats::StartsOver(const EventDetail& detail) {
  const auto* const metric = detail.As<XlaMetricFact>();
  if (metric == nullptr || !metric->count) return false;
  const int64_t now = metric->steps.value_or(*metric->count);
  const bool is_restart = now < reached_ / 2 && num_restarts_ < kRestartsKept;
  reached_ = is_restart ? now : std::max(reached_, now);
  num_restarts_ += is_restart;
  return is_restart;
}

bool Repeats::Next() {
  if (last_) {
    // It is no longer the last one.
    if (!largest_) {
      largest_ = std::move(last_);
    } else {
      if (IsLarger(last_->detail, largest_->detail)) std::swap(largest_, last_);
      ++num_dropped_;
    }
    last_.reset();
  }
  return IsKept(num_seen_++);
}

void Repeats::Hold(Held held) { last_ = std::move(held); }

uint64_t Repeats::EndGap(const EventDetail& detail, std::optional<Held>& largest) {
  uint64_t num_dropped = std::exchange(num_dropped_, 0);
  std::swap(largest, largest_);
  largest_.reset();
  if (largest && !IsLarger(largest->detail, detail)) {
    largest.reset();
    ++num_dropped;
  }
  return num_dropped;
}

}  // namespace shapewise
