#include "pipeline/lint_passes.h"

#include <array>

namespace shapewise {
namespace {

Printed Judge(bool is_printed, bool is_known_from_elsewhere) {
  if (is_printed) return Printed::kYes;
  return is_known_from_elsewhere ? Printed::kNo : Printed::kUnknown;
}

}  // namespace

Coverage FindCoverage(const Session& session) {
  std::array<bool, kNumEventKinds> seen{};
  bool break_is_printed = false;
  for (const Event& event : session.events()) {
    const EventDetail& detail = session.detail(event);
    seen[static_cast<size_t>(detail.kind())] = true;
    // Python prints a fatal one itself, whatever TORCH_LOGS says.
    break_is_printed |= detail.kind() == EventKind::kGraphBreak && !detail.is_fatal_break();
  }
  const auto has = [&](EventKind kind) { return seen[static_cast<size_t>(kind)]; };
  const bool is_trace = !session.compilations().empty();
  return {.recompiles = Judge(is_trace || has(EventKind::kRecompile),
                              has(EventKind::kRecompileLimit) || has(EventKind::kImpliedRecompile)),
          .graph_breaks = Judge(is_trace || break_is_printed, has(EventKind::kImpliedBreak))};
}

}  // namespace shapewise
