#include "model/compile_number.h"

#include "support/text_scan.h"

namespace shapewise {

std::optional<CompileNumber> ParseCompileNumber(std::string_view compile_id) {
  if (ConsumeFront(compile_id, "!")) {
    if (!ConsumeUint<uint32_t>(compile_id) || !ConsumeFront(compile_id, "/")) return std::nullopt;
  }
  const std::optional<uint32_t> frame = ConsumeUint<uint32_t>(compile_id);
  if (!frame || !ConsumeFront(compile_id, "/")) return std::nullopt;
  const std::optional<uint32_t> compile = ConsumeUint<uint32_t>(compile_id);
  if (!compile) return std::nullopt;
  return CompileNumber{*frame, *compile};
}

std::string FrameText(std::optional<uint32_t> frame) {
  return frame ? std::to_string(*frame) : std::string();
}

uint32_t RestartsOf(std::string_view compile_id) {
  const size_t underscore = compile_id.find('_');
  if (underscore == std::string_view::npos) return 0;
  compile_id.remove_prefix(underscore + 1);
  return ConsumeUint<uint32_t>(compile_id).value_or(0);
}

std::optional<CompileNumber> CompileOf(const Session& session, const Event& event) {
  if (const auto own = ParseCompileNumber(session.text(event.compile_id))) return own;
  std::optional<CompileNumber> newest;
  for (const ReasonId reason : session.detail(event).reasons()) {
    const auto entry = ParseCompileNumber(session.text(session.reason(reason).entry));
    if (entry && (!newest || entry->compile > newest->compile)) newest = entry;
  }
  if (newest) ++newest->compile;
  return newest;
}

uint64_t NumEntriesShown(const Session& session, const Event& event) {
  const EventDetail& detail = session.detail(event);
  if (detail.kind() != EventKind::kRecompile && detail.kind() != EventKind::kRecompileLimit)
    return 0;
  if (const auto number = CompileOf(session, event)) return number->compile;
  // The list of a limit is long, and its end may be missing.
  return detail.kind() == EventKind::kRecompile ? detail.reasons().size() : 0;
}

}  // namespace shapewise
