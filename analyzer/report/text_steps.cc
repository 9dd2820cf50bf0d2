#include "report/text_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "llvm/Support/FormatVariadic.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr size_t kMaxTracks = 4;

/// "the first step, 2 with a recompile", in the order of SlowCause.
std::string CausesText(const StepTrack& track) {
  constexpr std::string_view kWords[] = {
      "the first step",           "with a first compilation",  "with a recompile",
      "with a CUDA graph record", "with a garbage collection", "unexplained"};
  static_assert(std::size(kWords) == kNumSlowCauses);
  std::array<uint64_t, kNumSlowCauses> counts{};
  for (const SlowStep& slow : track.slow) ++counts[static_cast<size_t>(slow.cause)];
  const bool is_compared =
      track.comparison == StepComparison::kClock || track.comparison == StepComparison::kLines;
  std::string text;
  for (size_t i = 0; i < kNumSlowCauses; ++i) {
    if (counts[i] == 0) continue;
    const auto cause = static_cast<SlowCause>(i);
    if (!text.empty()) text += ", ";
    if (cause != SlowCause::kFirstStep) text += std::to_string(counts[i]) + " ";
    text += cause == SlowCause::kUnexplained && !is_compared
                ? "that cannot be compared with compilations"
                : kWords[i];
  }
  return text;
}

/// "120 steps in profile.json: 11.2 ms each; 3 slow (20.0 ms or more) cost ..."
std::string StepTrackText(const StepTrack& track, const Session& session) {
  std::string text = Counted(track.steps, "step") + " in " + session.inputs()[track.input].name;
  if (track.rank >= 0) text += ", rank " + std::to_string(track.rank);
  text += ": " + StepText(track.median) + " each";
  double excess = 0;
  for (const SlowStep& slow : track.slow) excess += slow.seconds - track.median;
  if (track.slow_from == 0) {
    text += "; too few to find slow ones";
  } else if (track.slow.empty()) {
    text += ", none slow";
  } else {
    text += "; " + std::to_string(track.slow.size()) + " slow (" + StepText(track.slow_from) +
            " or more) cost " + SecondsText(excess) + " of " + SecondsText(track.total) + ": " +
            CausesText(track);
  }
  return text;
}

}  // namespace

std::string StepText(double seconds) {
  if (seconds >= 1) return SecondsText(seconds);
  return llvm::formatv("{0:F1} ms", seconds * 1e3).str();
}

void AddSteps(const StepReport& report, const Session& session, Document& page) {
  page.AddSome(report.tracks, kMaxTracks, "list of steps", 2, [&](const StepTrack& track) {
    page.Begin(0, 2).Add(TextStyle::kFaint, StepTrackText(track, session));
  });
}

}  // namespace shapewise
