#include "causes/grad_mode_changes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "causes/culprit_key.h"
#include "support/text_scan.h"

namespace shapewise {

// Global state is checked first, so that each entry of another mode fails on it in each record.
void GradModeChanges::Add(const Session& session, const EventDetail& detail,
                          const CodeObjectHistory& history, uint32_t stretch, uint32_t compile) {
  const auto is_of_mode = [&](ReasonId id) {
    const Reason& reason = session.reason(id);
    return reason.guard_class == GuardClass::kGlobalState &&
           HasText(session.text(reason.guard), "grad_mode");
  };
  const auto reasons = detail.reasons();
  Change& change = by_stretch_[stretch];
  ++change.num_recompiles;
  if (!reasons.empty() && is_of_mode(reasons[NewestReason(session, reasons)])) ++change.num_turns;
  if (change.compile == 0) {
    const auto num_of_mode = static_cast<size_t>(std::ranges::count_if(reasons, is_of_mode));
    if (num_of_mode == 0) return;
    change.compile = compile;
    change.came_back = num_of_mode != reasons.size() || num_of_mode != compile;
    return;
  }
  ++change.num_later;
  const std::vector<std::optional<uint32_t>> entries = history.EntriesOf(session, detail, compile);
  for (size_t i = 0; i < entries.size(); ++i) {
    change.came_back |= !entries[i] || is_of_mode(reasons[i]) != (*entries[i] < change.compile);
  }
}

uint32_t GradModeChanges::NumLeftGraphs() const {
  uint32_t num_left = 0;
  for (const auto& [stretch, change] : by_stretch_) {
    if (change.compile == 0) continue;
    if (change.came_back || change.num_later == 0) return 0;
    num_left = std::max(num_left, change.compile);
  }
  return num_left;
}

uint32_t GradModeChanges::NumTurns() const {
  constexpr uint32_t kMinTurns = 3;
  uint32_t num_turns = 0;
  for (const auto& [stretch, change] : by_stretch_) {
    const bool are_most = 2 * change.num_turns > change.num_recompiles;
    if (are_most && change.num_turns >= kMinTurns)
      num_turns = std::max(num_turns, change.num_turns);
  }
  return num_turns;
}

}  // namespace shapewise
