#include "shapewise/model/repeats.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace shapewise {
namespace {

/// What is the larger, the worse: the number that an event prints.
std::optional<double> SizeOf(const EventDetail& detail) {
  if (detail.count) return static_cast<double>(*detail.count);
  return detail.seconds;
}

bool IsLarger(const EventDetail& detail, const EventDetail& other) {
  const std::optional<double> size = SizeOf(detail);
  return size && *size > SizeOf(other).value_or(*size);
}

/// Whether the event with `number`, from 0, is kept.
bool IsKept(uint64_t number) {
  if (number < kRepeatsKeptWhole) return true;
  return number % std::bit_floor(number / kRepeatsKeptPerDoubling) == 0;
}

template <typename Number>
void ForgetValue(std::optional<Number>& number) {
  if (number) number = Number{};
}

}  // namespace

bool MayRepeat(const EventDetail& detail) {
  switch (detail.kind) {
    case EventKind::kPerfHint:
    case EventKind::kXlaMetric:
    case EventKind::kXlaCompile:
    case EventKind::kXlaExecution:
    case EventKind::kTorchscript:
    case EventKind::kIgnoredMode:
      return true;
    case EventKind::kCudagraph:
      // Each recording may explain a slow step, and memory of the device bounds them.
      return detail.action != CudagraphAction::kRecord;
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
  if (detail.kind == EventKind::kPerfHint) {
    return detail.hint == PerfHint::kOther || detail.hint == PerfHint::kNone;
  }
  return detail.kind == EventKind::kTorchscript && detail.user_file == StrId::kNone &&
         detail.user_line == 0;
}

EventDetail SiteOf(const EventDetail& detail) {
  EventDetail site = detail;
  if (!IsKnownByMessage(detail)) site.message = StrId::kNone;
  site.hash = StrId::kNone;
  // A line with a count means another thing than one without.
  ForgetValue(site.count);
  ForgetValue(site.steps);
  ForgetValue(site.seconds);
  ForgetValue(site.graph_inputs);
  ForgetValue(site.graph_outputs);
  site.graph_input_gb.reset();
  return site;
}

bool Repeats::BeginsAnew(const EventDetail& detail) {
  if (detail.kind != EventKind::kXlaMetric || !detail.count) return false;
  const int64_t now = detail.steps.value_or(*detail.count);
  const bool is_restart = now < reached_ / 2 && num_restarts_ < kRestartsKept;
  reached_ = is_restart ? now : std::max(reached_, now);
  num_restarts_ += is_restart;
  return is_restart;
}

bool Repeats::Next() {
  if (last_) {
    // It is not the last any more.
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
